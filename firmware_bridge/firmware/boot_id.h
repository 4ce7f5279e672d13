/* A boot id that no earlier boot of this board has told anybody. Plain C, no hardware.
 *
 * The EEPROM holds a ring of the last boot ids, each with a check. A boot writes its own over the oldest, so each
 * cell is written once in BOOT_ID_SLOTS boots, and power may go at any moment of it: the one before still counts. */
#ifndef BOOT_ID_H
#define BOOT_ID_H

#include <stdint.h>

enum { BOOT_ID_SLOTS = 128, BOOT_ID_SLOT_BYTES = 6 };

/* The next boot id, never 0. It is written before this returns; call once, before anything is sent. */
uint32_t boot_id_next(void);

/* The EEPROM, by byte. main.c does it with hardware, the tests with an array that loses power. */
uint8_t boot_id_read(uint16_t at);
void boot_id_write(uint16_t at, uint8_t byte);

#endif
