"""The service that joins camera, reader, rules and panel, and its command line."""
