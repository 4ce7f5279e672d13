/* Lamp animation: what each lamp shows at a time, from mode and colour. Plain C, no hardware. */
#ifndef LAMPS_H
#define LAMPS_H

#include <stdint.h>

#include "panel.h"

enum {
    BLINK_MS = 1000, /* a period: lit for its first half */
    PULSE_MS = 2048, /* a period: from dark up to full and back, in a straight line */
    CHASE_MS = 128,  /* how long the light stays on one lamp; all chasing lamps take their turn in order */
};

struct rgb {
    uint8_t red, green, blue;
};

/* What the lamps show; the time goes round after 2^32 ms, where an animation may jump once. */
void lamps_render(const struct lamp lamps[PANEL_LAMPS], uint32_t now_ms, struct rgb shown[PANEL_LAMPS]);

#endif
