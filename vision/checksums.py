"""The SHA-256 of each file of `models/` that a reader loads. The stages of `training` write it."""

from typing import Final

SHA256: Final = {
    "attitude.onnx": "a086c89ee262347ec0fdec5505f09cc63d1b411c9acc1d9cd203dbb169ba9da2",
    "detector.onnx": "6bed62cd8e9c1c7ab645ac3590391d73a23b8e1542e1bf2eab686e26de7678ac",
    "die.onnx": "34df5304d8ed090f69a47d801007845736d81fe75b383703f7594e13edd95f3d",
    "face.onnx": "035186e24e6c55b246afe888e1624e1d0be1ecfd59f7f2db40444e2ec49e75cc",
    "fitted.json": "1159aa415497fc99f95982b925116ab120ce928774960453243db20c21b1dc05",
    "segmentation.onnx": "c4a9b9e576c0b0b1d67f533b906fd80a268c25f22f89b0f337a8e264c8cb6af4",
    "six_nine.onnx": "15a8ce8ac1050ca69dcb4d47aeb9b0617ac32aaea389555ee5dcc16adbb2ddaf",
    "symbol.onnx": "43fa3b6d7c1934750b09af1a72b7a8d688c1662763ced6704469ee48780d748e",
}
