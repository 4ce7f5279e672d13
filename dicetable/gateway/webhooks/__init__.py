"""What programs elsewhere are sent when something happens: signed, tried again, to named hosts alone."""
