"""The parts of a table: ports (camera, panel, clock) and their drivers."""
