/* What a reset leaves behind: why it came, and a boot id that no earlier reset had. */
#ifndef BOOT_H
#define BOOT_H

#include <stdint.h>

/* The cause as BOARD_HELLO tells it. */
uint8_t boot_reset_cause(void);

/* Counts a number in the EEPROM up and returns it; never 0. Call once, before anything is sent. */
uint32_t boot_id(void);

#endif
