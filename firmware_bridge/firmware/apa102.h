/* The chain of APA102 lamps, clocked out by hand: their clock may pause, so interrupts stay on. */
#ifndef APA102_H
#define APA102_H

#include "lamps.h"

/* Of 31; what the lamps draw at full white goes with it. */
enum { APA102_BRIGHTNESS = 12 };

void apa102_start(void);

/* Takes about 0.4 ms. */
void apa102_show(const struct rgb shown[PANEL_LAMPS]);

#endif
