"""The metrics, one subject per file. Importing a module declares its metrics; the registry does so when it is
first asked.
"""
