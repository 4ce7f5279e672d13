"""Pixels in, dice out: numpy and OpenCV only; knows no game, no camera driver and no clock."""
