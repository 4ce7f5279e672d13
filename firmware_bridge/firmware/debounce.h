/* Debouncing: a change counts once it has held for DEBOUNCE_SAMPLES samples in a row. Plain C, no hardware.
 * Seven samples, a millisecond apart give or take one, span more than 5 ms: no bounce that short passes. */
#ifndef DEBOUNCE_H
#define DEBOUNCE_H

#include <stdint.h>

#include "panel.h"

enum { DEBOUNCE_SAMPLES = 7 };

/* Start it zeroed: nothing is pressed. */
struct debounce {
    uint32_t stable; /* one bit an input */
    uint8_t differs[PANEL_INPUTS];
};

/* Takes one sample, one bit an input; returns the bits of the inputs whose stable state changed with it. */
uint32_t debounce_sample(struct debounce *debounce, uint32_t raw);

#endif
