"""What the operator page asks of the table over `control.sock`, in short steps."""
