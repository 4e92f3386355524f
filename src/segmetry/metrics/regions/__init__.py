"""Region metrics: each true segment compared with the predicted segment that overlaps it most."""
