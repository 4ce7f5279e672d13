/* The text that the display should show and the bytes that bring it there, one at a time. Plain C, no hardware. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

struct screen {
    char wanted[TEXT_LINES * TEXT_COLUMNS];
    char shown[TEXT_LINES * TEXT_COLUMNS];
    uint8_t cell;   /* where the search for a difference goes on */
    uint8_t cursor; /* the cell that the display writes next, SCREEN_CELLS if unknown */
};

enum { SCREEN_CELLS = TEXT_LINES * TEXT_COLUMNS };

struct screen_byte {
    bool is_data; /* a character, else an instruction */
    uint8_t byte;
};

/* A display that was just cleared. */
void screen_start(struct screen *screen);

void screen_set_line(struct screen *screen, uint8_t line, const char text[TEXT_COLUMNS]);

/* Blanks all lines but one, which shows a text of at most 20 characters, centred. */
void screen_announce(struct screen *screen, const char *text);

/* The next byte for an HD44780 of 20 by 4, whose lines begin at addresses 0x00, 0x40, 0x14, 0x54;
 * false if the display shows what it should. */
bool screen_next(struct screen *screen, struct screen_byte *next);

#endif
