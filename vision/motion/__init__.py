"""What happens in the tray: moving, settled, occluded, unlit; and what it looks like empty."""
