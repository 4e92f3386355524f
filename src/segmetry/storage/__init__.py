"""Arrays that stay where they are stored, and the formats that are read chunk by chunk."""
