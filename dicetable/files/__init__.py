"""Reading and writing of files: atomic writes, bounded reads."""
