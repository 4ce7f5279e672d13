"""What a home is told through an MQTT broker, in the form that Home Assistant discovers."""
