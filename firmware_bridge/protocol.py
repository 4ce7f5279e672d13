"""Panel link v1 below its messages: versions, times, windows, and frames on the wire.

A frame is ``COBS(body + crc16_be(body)) + 0x00``. The CRC is CRC-16/IBM-3740 (polynomial 0x1021, start
0xFFFF, not reflected), sent high byte first, so that the CRC over body and CRC is zero. Decoded (body and
CRC) a frame has 3 to 64 bytes; COBS therefore always costs exactly one byte. Source of COBS: S. Cheshire and
M. Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM Transactions on Networking 7(2), 1999.
"""

from binascii import crc_hqx

from firmware_bridge.errors import FrameError

OLDEST_VERSION = 1
NEWEST_VERSION = 1
LOSS_S = 1.5  # nothing valid received for this long: the other end is lost
PING_S = 0.25  # PING is sent this often, the first at once
HELLO_S = 0.2  # a host that is seeking repeats its HELLO
REFUSED_HELLO_S = 1.0  # ... and continues at this rate to a board that it refused
BEACON_S = 0.2  # a board without a host repeats its HELLO
RESEND_S = 0.05  # an unacknowledged state or event is retransmitted; the wait doubles each time
RESEND_MOST_S = 0.4
EVENT_RING = 32  # events that a board stores until they are acknowledged
EVENT_WINDOW = 8  # unacknowledged events in flight
MOST_LOST = 0xFFFF  # the count of lost events saturates here
VIEW_NUMBERS = 1 << 16
EVENT_NUMBERS = 1 << 32
DELIMITER = b"\x00"
CRC_START = 0xFFFF
CRC_BYTES = 2
MAX_DECODED_BYTES = 64
MAX_BODY_BYTES = MAX_DECODED_BYTES - CRC_BYTES
MAX_ENCODED_BYTES = MAX_DECODED_BYTES + 1


def common_version(oldest: int, newest: int) -> int | None:
    """The newest protocol version that both this end and one with this range speak; None if there is none."""
    version = min(newest, NEWEST_VERSION)
    return version if version >= max(oldest, OLDEST_VERSION) else None


def is_older(view: int, than: int) -> bool:
    """Whether a view number is older than another, modulo 65536."""
    return 0 < (than - view) % VIEW_NUMBERS < VIEW_NUMBERS // 2


class ResendTimer:
    """The retransmission timer: 50 ms, then twice as long each time, up to 400 ms."""

    def __init__(self) -> None:
        self.due = float("inf")
        self._wait_s = RESEND_S

    def start(self, now: float) -> None:
        self.due = now + self._wait_s

    def expire(self) -> None:
        self.due = float("inf")
        self._wait_s = min(2 * self._wait_s, RESEND_MOST_S)

    def stop(self) -> None:
        """The acknowledgement arrived: the next wait is short again."""
        self.due = float("inf")
        self._wait_s = RESEND_S


def encode_frame(body: bytes) -> bytes:
    """The bytes on the wire for a body of 1 to 62 bytes, including the delimiter. Raises FrameError."""
    if not 1 <= len(body) <= MAX_BODY_BYTES:
        raise FrameError(f"a body has 1 to {MAX_BODY_BYTES} bytes, not {len(body)}")
    decoded = body + crc_hqx(body, CRC_START).to_bytes(CRC_BYTES, "big")
    return b"".join(bytes((len(run) + 1,)) + run for run in decoded.split(DELIMITER)) + DELIMITER


def decode_frame(encoded: bytes) -> bytes:
    """The body of one frame without its delimiter. Raises FrameError."""
    if len(encoded) > MAX_ENCODED_BYTES:
        raise FrameError(f"longer than {MAX_ENCODED_BYTES} encoded bytes")
    runs = []
    position = 0
    # COBS: each code says how far on the next zero was, which the sender left out. A frame is too short
    # for a run of 254, after which there would be none.
    while position < len(encoded):
        end = position + encoded[position]
        if end == position or end > len(encoded):
            raise FrameError(
                f"COBS code {encoded[position]} at byte {position} of {len(encoded)} leads nowhere"
            )
        runs.append(encoded[position + 1 : end])
        position = end
    decoded = DELIMITER.join(runs)
    if len(decoded) <= CRC_BYTES:
        raise FrameError(f"{len(decoded)} decoded bytes hold no body")
    if crc_hqx(decoded, CRC_START) != 0:
        raise FrameError("the checksum does not fit")
    return decoded[:-CRC_BYTES]


class FrameDecoder:
    """Cuts a byte stream into bodies; holds at most one unfinished frame and resynchronises at any delimiter.

    ``damaged`` counts the invalid frames. Nothing between two delimiters is not damage, because senders may
    begin with a delimiter to flush noise.
    """

    def __init__(self) -> None:
        self.damaged = 0
        self._pending = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that ``data`` completes, in order. Never raises, whatever the bytes."""
        *complete, rest = data.split(DELIMITER)
        bodies = []
        for piece in complete:
            encoded, self._pending = self._pending + piece, b""
            if not encoded:
                continue
            try:
                bodies.append(decode_frame(encoded))
            except FrameError:
                self.damaged += 1
        # One byte over the limit is enough to detect later that the frame was too long.
        self._pending = (self._pending + rest)[: MAX_ENCODED_BYTES + 1]
        return bodies
