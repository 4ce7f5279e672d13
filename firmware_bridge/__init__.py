"""The serial link to the panel's microcontroller: frames and messages. Imports no other package."""
