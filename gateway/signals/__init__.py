"""What the gateway tells others than browsers: the MQTT broker, webhooks, metrics and the league."""
