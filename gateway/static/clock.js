// The gateway's clock, as this phone knows it from what the gateway has sent lately.
const WINDOW_MS = 20000; // longer: a slow message matters less; shorter: so does a clock that runs fast
let offsets = []; // [when it was heard, by how much the gateway's clock is ahead of this page's]

// A message with the gateway's time came. The one that came quickest is nearest to the truth.
export function hearClock(clock) {
  const now = performance.now();
  offsets = [...offsets.filter(([heard]) => now - heard < WINDOW_MS), [now, clock - now]];
}

// The gateway may have another clock from now on: its machine has started anew.
export function forgetClock() {
  offsets = [];
}

// The gateway's time at a time of this page.
export const gatewayTime = (time) => Math.round(time + Math.max(...offsets.map(([, offset]) => offset)));
