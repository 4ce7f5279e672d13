"""The table's ends of `state.sock`, which only tells, and of `control.sock`, which takes requests."""
