"""What the table tells the gateway over `state.sock`. Nothing that comes in there changes the table."""
