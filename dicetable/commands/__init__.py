"""One module a command: `add_parser` says what it takes, `run` does it. Heavy imports belong inside `run`."""
