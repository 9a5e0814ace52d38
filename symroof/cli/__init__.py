"""The command line: arguments, exit codes, and text for people."""
