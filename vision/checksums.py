"""The SHA-256 of each file of `models/` that a reader loads. The stages of `vision.training` write it."""

from __future__ import annotations

from typing import Final

SHA256: Final = {
    "attitude.onnx": "b3b1548d077bbb9f5fde96598b3b4b4138810fb7b12b704edfeecdc0f5c23506",
    "detector.onnx": "6bed62cd8e9c1c7ab645ac3590391d73a23b8e1542e1bf2eab686e26de7678ac",
    "die.onnx": "cab4956245a7a9b961dd406d640f12a6b261f099d783633d54b8cc6e78b5deea",
    "fitted.json": "b0f375ced2718aaa9275a3398c9675770bd4c1a53743042e55e149ca0ab7be1a",
    "six_nine.onnx": "15a8ce8ac1050ca69dcb4d47aeb9b0617ac32aaea389555ee5dcc16adbb2ddaf",
    "symbol.onnx": "43fa3b6d7c1934750b09af1a72b7a8d688c1662763ced6704469ee48780d748e",
}
