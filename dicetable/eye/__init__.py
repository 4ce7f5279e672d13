"""From a camera to what lies on the table: the process that reads dice, and all it knows of its rig."""
