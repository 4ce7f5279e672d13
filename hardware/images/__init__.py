"""Decodes untrusted image files in a separate process with fixed limits."""
