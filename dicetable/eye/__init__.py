"""From a camera to what lies on the table: still frames are read, anything else is named."""
