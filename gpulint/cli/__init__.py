"""The command line: one file a subcommand, imported when it is asked for."""
