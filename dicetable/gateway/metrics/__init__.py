"""Numbers for Prometheus, as OpenMetrics text."""
