/* The text that the display should show and the bytes that bring it there, one at a time. Plain C, no hardware.
 *
 * The display is never read: one that lost its supply for a moment, or took a spike for a nibble, would show
 * garbage from then on. So it is set up and written anew every SCREEN_REFRESH_MS, from whatever state it is in.
 * Nothing is cleared for that: what it already shows does not flicker. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

enum { SCREEN_CELLS = TEXT_LINES * TEXT_COLUMNS, SCREEN_POWER_UP_MS = 50, SCREEN_REFRESH_MS = 2000 };

struct screen {
    char wanted[SCREEN_CELLS];
    char shown[SCREEN_CELLS]; /* 0 where unknown */
    uint32_t refresh_at_ms;
    uint8_t step;   /* of the set-up: the next one, SCREEN_STEPS if all are done, SCREEN_OFF before the first */
    uint8_t cell;   /* where the search for a difference goes on */
    uint8_t cursor; /* the cell that the display writes next, SCREEN_CELLS if unknown */
};

struct screen_byte {
    uint16_t busy_us; /* how long the display needs for it */
    uint8_t byte;
    bool is_data;   /* a character, else an instruction */
    bool is_nibble; /* only the lower four bits are to be sent */
};

/* A display whose power may just have come. */
void screen_start(struct screen *screen, uint32_t now_ms);

void screen_set_line(struct screen *screen, uint8_t line, const char text[TEXT_COLUMNS]);

/* Blanks all lines but one, which shows a text of at most 20 characters, centred. */
void screen_announce(struct screen *screen, const char *text);

/* The next byte for an HD44780 of 20 by 4 on a bus of four bits, whose lines begin at addresses 0x00, 0x40, 0x14,
 * 0x54; false if there is nothing to send. Call once the display has had its time for the byte before. */
bool screen_next(struct screen *screen, struct screen_byte *next, uint32_t now_ms);

#endif
