"""What every server of ours does with what strangers send: their JSON, their addresses, their connections."""
