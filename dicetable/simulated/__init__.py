"""People at a simulated table: they throw, cast and reveal, look at the panel and press its buttons."""
