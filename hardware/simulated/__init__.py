"""A whole table in software: dice, tray, camera and clock."""
