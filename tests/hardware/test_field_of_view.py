"""The part of a sensor that becomes the picture: inside the sensor, undistorted, in a mode that covers it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardware.pi_camera import Parts, SensorMode, best_mode, covered_part, modes_of, picture_area
from tests.hardware.fake_picamera2 import MODULE_2, MODULE_3

SENSORS = st.sampled_from([modes_of(MODULE_2), modes_of(MODULE_3)])
SIZES = st.tuples(st.integers(320, 4096), st.integers(240, 4096))
CROPS = st.tuples(st.floats(0, 0.5), st.floats(0, 0.5), st.floats(0.1, 0.5), st.floats(0.1, 0.5))


@given(SENSORS, SIZES, CROPS)
def test_the_area_lies_within_the_crop_and_has_the_pictures_shape(
    modes: list[SensorMode], size: tuple[int, int], crop: Parts
) -> None:
    _, _, width, height = max((mode.area for mode in modes), key=lambda area: area[2])
    x, y, wide, high = picture_area(modes, size, crop)
    assert {number % 2 for number in (x, y, wide, high)} == {0}
    assert crop[0] * width - 2 <= x <= x + wide <= (crop[0] + crop[2]) * width + 1e-6
    assert crop[1] * height - 2 <= y <= y + high <= (crop[1] + crop[3]) * height + 1e-6
    assert abs(wide - high * size[0] / size[1]) <= 2 * max(1, size[0] / size[1]) + 1e-6
    # As large as it can be.
    assert wide > crop[2] * width - 4 or high > crop[3] * height - 4


@given(SENSORS, SIZES, CROPS, st.integers(5, 120))
def test_no_mode_that_sees_less_is_taken(
    modes: list[SensorMode], size: tuple[int, int], crop: Parts, frames_per_s: int
) -> None:
    area = picture_area(modes, size, crop)
    chosen = best_mode(modes, area, size, frames_per_s)
    assert covered_part(chosen, area) > 0.98
    seeing = [mode for mode in modes if covered_part(mode, area) >= 0.98]
    fastest = max(mode.frames_per_s for mode in seeing)
    assert chosen.frames_per_s >= 0.98 * min(frames_per_s, fastest)
