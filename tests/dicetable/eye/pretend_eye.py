"""A fake child process that misbehaves as its settings say, for the tests of ProcessEye."""

from __future__ import annotations

import base64
import os
import struct
import sys
import time

ALIVE = b'{"alive": {}}'


def say(data: bytes) -> None:
    os.write(1, data)


def say_all(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def encode(text: bytes) -> bytes:
    return struct.pack(">4sI", b"EYE7", len(text)) + text


def settled(time_s: float, picture: bytes = b"\xff\xd8") -> bytes:
    encoded = base64.b64encode(picture)
    return b'{"settled": {"reading": {"dice": []}, "time_s": %.3f, "evidence": "%s"}}' % (
        time_s,
        encoded,
    )


def answer_all() -> None:
    """Answers each question with a large picture."""
    picture = base64.b64encode(b"\xff\xd8" + bytes(250_000))
    for number, _ in enumerate(sys.stdin.buffer, 1):
        head = b'{"answer": {"number": %d, "result": {}, "picture": "%s"}}'
        say_all(encode(head % (number, picture)))


def main() -> None:
    manner = sys.stdin.buffer.readline().decode().rstrip("\n")
    if manner == "dies at once":
        sys.exit(3)
    say(encode(ALIVE) + encode(settled(time.monotonic())))
    if manner == "dies":
        sys.exit(3)
    if manner == "babbles":
        say(b"Traceback (most recent call last): ...")
    if manner == "from the future":
        say(encode(settled(time.monotonic() + 3600)))
    if manner == "learns":
        say(encode(b'{"own_dice": {"degraded": {"what": "No dice.", "remedy": "mend it"}}}'))
        lesson = sys.stdin.buffer.readline().decode().strip()
        say(encode(b'{"answer": {"number": 1, "result": %s}}' % lesson.encode()))
        say(encode(b'{"own_dice": {"degraded": null}}'))
    if manner == "answers":
        answer_all()
    hoard = b"x" * (40 * 2**20) if manner == "grows" else b""
    while manner == "floods":
        say_all(encode(settled(time.monotonic(), b"\xff\xd8" + bytes(50_000))))
    if manner == "dies in the middle of a message":
        say(encode(settled(time.monotonic(), b"\xff\xd8" + bytes(1000)))[:600])
        sys.exit(3)
    time.sleep(600)
    del hoard


if __name__ == "__main__":
    main()
