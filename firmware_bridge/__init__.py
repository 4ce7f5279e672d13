"""The serial link to the panel's microcontroller: frames and messages; imports none of the other packages."""
