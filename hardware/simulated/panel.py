"""The simulated panel: presses come up as events, and the view that it shows can be inspected."""

from collections.abc import Callable, Sequence

from hardware.ports import CONTROLS, NOT_IN_USE, Clock, Degraded, PanelView, Press
from hardware.simulated.faults import ActiveFaults

BOUNCE_S = 0.012
"""Time between the contacts of a bouncing button: more than a panel's debouncing filters."""
NOTICED_S = 1.5
"""After this silence both ends of the link know that it is lost."""
DOWN = Degraded("the simulated panel's link is down", "plug it in, or clear the fault `link_drop`")
SILENT = Degraded("the simulated panel does not answer", "wait, or clear its faults")
SILENCES = ("link_drop", "link_stall", "panel_reset")
BLANK = PanelView({}, [])
HOST_LOST = PanelView({}, ["", "     host lost"])


class SimulatedPanel:
    """A `Panel` with simulated fingers: `press` is what a person does, `shown` is what a person sees.

    When its link is lost, held controls count as released, and presses meanwhile are not reported; a shorter
    silence only delays events. It works from the beginning, until it is stopped.
    """

    def __init__(self, clock: Clock, faults: ActiveFaults | None = None) -> None:
        self.clock = clock
        self.faults = faults or ActiveFaults()
        self.fingers: list[tuple[float, str, bool]] = []
        self.touched: set[str] = set()
        self.unheard: set[str] = set()
        self.down: set[str] = set()
        self.reported_down: set[str] = set()
        self.kept: list[tuple[str, bool, float]] = []
        self.number = 0
        self.watched_s = clock.now_s()
        self.wanted = BLANK
        self.showing = BLANK
        self.running: bool | None = None
        """None: neither started nor stopped yet."""

    def start(self, news: Callable[[], None]) -> None:  # noqa: ARG002 - the caller polls it
        """Works again; controls held now count once they are released."""
        if not self.running:
            self.running = False
            self.watch(self.clock.now_s())
            self.running = True

    def stop(self) -> None:
        self.running = False
        self.wanted = self.showing = BLANK

    @property
    def degraded(self) -> Degraded | None:
        now_s = self.clock.now_s()
        if self.running is False:
            return NOT_IN_USE
        if self.faults.active("link_drop", now_s):
            return DOWN
        return SILENT if self.silent_s(now_s) >= NOTICED_S else None

    @property
    def shown(self) -> PanelView:
        now_s = self.clock.now_s()
        if self.faults.active("panel_reset", now_s):
            return BLANK
        silent_s = self.silent_s(now_s)
        if silent_s == 0:
            self.showing = self.wanted
        return HOST_LOST if silent_s >= NOTICED_S else self.showing

    def silent_s(self, now_s: float) -> float:
        """How long the link has been silent; 0 if it is up."""
        silences = (self.faults.active(name, now_s) for name in SILENCES)
        return max((max(1e-9, now_s - active.since_s) for active in silences if active), default=0.0)

    def lost(self, now_s: float) -> bool:
        """Whether held controls count as released."""
        restarted = self.faults.active("panel_reset", now_s) or self.faults.active("link_drop", now_s)
        return self.running is False or restarted is not None or self.silent_s(now_s) >= NOTICED_S

    def press(self, control: str, hold_s: float = 0.1, after_s: float = 0.0) -> None:
        """A person presses a control `after_s` from now, and releases it `hold_s` later."""
        if control not in CONTROLS:
            raise ValueError(f"there is no control {control}")
        down_s = self.clock.now_s() + after_s
        up_s = down_s + hold_s
        for _ in range(int(self.faults.number("bounce", down_s) or 1) - 1):
            self.fingers += [(down_s, control, True), (down_s + BOUNCE_S, control, False)]
            down_s += 2 * BOUNCE_S
        self.fingers += [(down_s, control, True), (max(up_s, down_s + BOUNCE_S), control, False)]
        self.fingers.sort(key=lambda change: change[0])

    def show(self, view: PanelView) -> None:
        self.wanted = view

    def presses(self) -> Sequence[Press]:
        now_s = self.clock.now_s()
        self.watch(now_s)
        if self.silent_s(now_s) and not self.lost(now_s):
            return []
        events = []
        for control, down, time_s in self.kept:
            self.number += 1
            events.append(Press(self.number, control, down, time_s))
        self.kept, self.reported_down = [], set(self.down)
        return events

    def watch(self, now_s: float) -> None:
        """Records all contacts that opened or closed until then."""
        times = {time_s for time_s, _, _ in self.fingers}
        for active in self.faults.known:
            if active.fault.kind.part == "panel":
                times |= {active.since_s, active.since_s + NOTICED_S, active.until_s}
        for time_s in sorted(t for t in times if self.watched_s <= t <= now_s):
            while self.fingers and self.fingers[0][0] <= time_s:
                _, control, down = self.fingers.pop(0)
                (self.touched.add if down else self.touched.discard)(control)
            self.sample(time_s)
        self.watched_s = now_s

    def sample(self, time_s: float) -> None:
        """Compares the contacts with their recorded state."""
        stuck = self.faults.active("sticks", time_s)
        closed = self.touched | ({str(stuck.fault.arg)} if stuck else set())
        if self.lost(time_s):
            self.unheard |= closed
            self.kept, self.down = [], set(self.reported_down)
        self.unheard &= closed
        heard = closed - self.unheard
        self.kept += [(control, control in heard, time_s) for control in sorted(heard ^ self.down)]
        self.down = heard
