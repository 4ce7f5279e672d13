"""The service on the bar: its loop, and what it and systemd tell each other."""
