/* Debouncing: a change counts once it has held for DEBOUNCE_SAMPLES samples in a row. Plain C, no hardware.
 * Sampled every millisecond this passes a press after 6 ms and no bounce of up to 5 ms. */
#ifndef DEBOUNCE_H
#define DEBOUNCE_H

#include <stdint.h>

#include "panel.h"

enum { DEBOUNCE_SAMPLES = 6 };

/* Start it zeroed: nothing is pressed. */
struct debounce {
    uint32_t stable; /* one bit an input */
    uint8_t differs[PANEL_INPUTS];
};

/* Takes one sample, one bit an input; returns the bits of the inputs whose stable state changed with it. */
uint32_t debounce_sample(struct debounce *debounce, uint32_t raw);

#endif
