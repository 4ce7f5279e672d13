"""Pixels in, dice out: numpy, OpenCV and ONNX Runtime only; knows no game, no camera driver and no clock."""
