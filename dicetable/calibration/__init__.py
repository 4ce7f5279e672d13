"""What is known of a rig: its camera, its tray, the empty tray and its own dice."""
