"""Label arrays: images and volumes."""
