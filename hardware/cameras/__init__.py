"""Camera devices: USB and Raspberry Pi cameras, and recorded videos."""
