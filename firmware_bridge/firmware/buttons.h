/* The buttons on their shift registers. */
#ifndef BUTTONS_H
#define BUTTONS_H

#include <stdint.h>

void buttons_start(void);

/* One sample of all buttons, a bit each, set while pressed; takes about 40 us. */
uint32_t buttons_sample(void);

#endif
