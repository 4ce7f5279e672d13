"""The tray in millimetres: markers, pose, tracking, rig checks."""
