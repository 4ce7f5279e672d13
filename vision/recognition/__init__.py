"""What lies in a box: kind, value, confidence, and every reason for doubt."""
