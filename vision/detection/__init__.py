"""Where dice may be: boxes with scores."""
