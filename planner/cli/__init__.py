"""The command line: one module per command group; parses, calls, prints."""
