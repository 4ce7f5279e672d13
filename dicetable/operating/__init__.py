"""The requests of the operator page over `control.sock`, carried out in short steps."""
