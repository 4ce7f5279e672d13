"""Image files from outside, decoded in a process of their own whose limits hold whatever a file says."""
