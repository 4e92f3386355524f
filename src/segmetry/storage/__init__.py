"""Arrays that stay where they are stored and are read chunk by chunk."""
