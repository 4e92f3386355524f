"""The file formats, one module each; importing a module declares its reader."""
