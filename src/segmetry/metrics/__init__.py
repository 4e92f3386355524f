"""The metrics, one folder per family and one subject per file.

Importing a module declares its metrics; the registry imports them all when it is first asked for one.
"""
