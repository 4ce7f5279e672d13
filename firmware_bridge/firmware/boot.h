/* Every start: why it came, the watchdog, and restarting without a reset. */
#ifndef BOOT_H
#define BOOT_H

#include <stdint.h>

/* Stops all I/O, as after a reset, and starts the watchdog; call first. */
void boot_start(void);

/* Why this start came, as BOARD_HELLO tells it. */
uint8_t boot_reset_cause(void);

/* Call at least every 250 ms, and only while all goes well: else the program starts again. */
void boot_feed_watchdog(void);

#endif
