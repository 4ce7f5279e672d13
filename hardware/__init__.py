"""What the table is made of: ports (camera, panel, clock) and the drivers behind them."""
