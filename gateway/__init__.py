"""Everything that touches a network, as a process of its own that knows the table by `table.sock` alone."""
