"""The table's side of `state.sock`, which only publishes, and of `control.sock`, which takes requests."""
