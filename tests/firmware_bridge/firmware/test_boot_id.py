"""The firmware's boot id: never repeated, whenever power fails, and no cell of the EEPROM wears out."""

from __future__ import annotations

import ctypes
from random import Random

import pytest

EEPROM_BYTES, SLOTS, SLOT_BYTES = 1024, 128, 6
ENOUGH = 1000


class EepromC(ctypes.Structure):
    _fields_ = (
        ("writes_left", ctypes.c_uint32),
        ("writes", ctypes.c_uint32 * EEPROM_BYTES),
        ("bytes", ctypes.c_uint8 * EEPROM_BYTES),
        ("torn_byte", ctypes.c_uint8),
        ("torn", ctypes.c_bool),
    )


class Board:
    """A board that is switched on again and again."""

    def __init__(self, portable: ctypes.CDLL) -> None:
        self._c = portable
        self._c.boot_id_next.restype = ctypes.c_uint32
        self.eeprom = EepromC.in_dll(portable, "eeprom")
        ctypes.memset(ctypes.byref(self.eeprom), 0, ctypes.sizeof(self.eeprom))
        self.eeprom.bytes[:] = [0xFF] * EEPROM_BYTES

    def boot(self) -> int:
        self.eeprom.writes_left, self.eeprom.torn = ENOUGH, False
        return int(self._c.boot_id_next())

    def tear(self, after: int, torn_byte: int) -> bool:
        """Power goes at this write; False if there were not so many."""
        self.eeprom.writes_left, self.eeprom.torn, self.eeprom.torn_byte = after, False, torn_byte
        self._c.boot_id_next()
        return bool(self.eeprom.torn)


@pytest.fixture
def board(portable: ctypes.CDLL) -> Board:
    return Board(portable)


def test_it_counts_up_through_the_whole_ring_and_on(board: Board) -> None:
    assert [board.boot() for _ in range(3 * SLOTS)] == list(range(1, 3 * SLOTS + 1))


def test_no_cell_is_written_more_than_once_in_a_round(board: Board) -> None:
    for _ in range(10 * SLOTS):
        board.boot()
    assert max(board.eeprom.writes) == 10
    assert set(board.eeprom.writes[SLOTS * SLOT_BYTES :]) == {0}


@pytest.mark.parametrize("boots", [0, 1, SLOTS - 1, SLOTS, 255, 256, 400])
def test_a_boot_that_is_cut_off_anywhere_leaves_the_next_a_new_number(board: Board, boots: int) -> None:
    told = 0
    for _ in range(boots):
        told = board.boot()
    before = bytes(board.eeprom.bytes)
    for after in range(SLOT_BYTES):
        for torn_byte in range(256):
            board.eeprom.bytes[:] = before
            if board.tear(after, torn_byte):
                assert board.boot() > told
                assert board.boot() > told + 1


@pytest.mark.parametrize("seed", range(5))
def test_numbers_only_grow_however_often_power_goes(board: Board, seed: int) -> None:
    random = Random(seed)
    told = [0]
    for _ in range(2000):
        if random.random() < 0.5:
            board.tear(random.randrange(SLOT_BYTES), random.choice((0, 0xFF, random.randrange(256))))
        else:
            told.append(board.boot())
    assert told == sorted(set(told))


@pytest.mark.parametrize("bit", range(0, SLOT_BYTES * 8, 5))
def test_a_number_that_was_told_and_has_decayed_is_not_told_again(board: Board, bit: int) -> None:
    for n in range(SLOTS + 10):
        told = board.boot()
        board.eeprom.bytes[n % SLOTS * SLOT_BYTES + bit // 8] ^= 1 << bit % 8
        assert board.boot() > told
        board.eeprom.bytes[n % SLOTS * SLOT_BYTES + bit // 8] ^= 1 << bit % 8


def test_what_another_program_left_there_does_no_harm(board: Board) -> None:
    board.eeprom.bytes[:] = Random(1).randbytes(EEPROM_BYTES)
    told = [0, *(board.boot() for _ in range(2 * SLOTS))]
    assert told == sorted(set(told))
    assert told[-1] - told[-SLOTS] == SLOTS - 1
