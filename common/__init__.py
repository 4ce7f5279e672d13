"""What the table, its gateway and the league share."""
