"""The eye of a simulated table, which observes every frame as a real one does, and the table's next frame."""

import time
from collections.abc import Callable, Sequence

import cv2

from dicetable.eye.in_process import InProcessEye
from dicetable.eye.messages import Eye, EyeMessage
from dicetable.table.table import Table
from hardware.ports import Clock, Panel
from hardware.simulated.world import World
from vision.observer import Observer
from vision.reading import Settled
from vision.tray.markers import find_markers
from vision.tray.pose import learn

CAMERA_S = 1.0
"""How long it waits for the first frame, from which it learns where the tray is."""
STEP_S = 1 / 30


class SimulatedEye(InProcessEye):
    """An `Eye` calibrated on the empty tray. Raises RuntimeError if the simulated camera gives no frame.

    `reading_ms` holds, for each settled state, the time in milliseconds to draw its frame and to read two.
    """

    def __init__(self, world: World) -> None:
        cv2.setNumThreads(1)  # as the eye's own process does
        world.camera.start()
        frame = world.camera.frame(CAMERA_S)
        if frame is None:
            raise RuntimeError("the simulated camera gives no frame")
        tray = learn(find_markers(frame.pixels))
        super().__init__(world.camera, world.clock, Observer(tray, frame.pixels))
        self.reading_ms: list[float] = []

    def messages(self) -> Sequence[EyeMessage]:
        started = time.perf_counter()
        messages = super().messages()
        if any(isinstance(message, Settled) for message in messages):
            self.reading_ms.append(1000 * (time.perf_counter() - started))
        return messages


def step(
    clock: Clock, panel: Panel, eye: Eye, table: Table, handled: Callable[[EyeMessage], None] | None = None
) -> float:
    """Sleeps for one frame, passes on presses and messages, and returns the time in seconds.

    `handled` is called with each message of the eye after the table has handled it.
    """
    clock.sleep(STEP_S)
    for press in panel.presses():
        table.press(press)
    for message in eye.messages():
        table.eye(message)
        if handled:
            handled(message)
    now_s = clock.now_s()
    table.tick(now_s)
    panel.show(table.view)
    return now_s
