"""Label arrays as the user says they are to be read."""
