#include "screen.h"

#include <string.h>

enum { SET_ADDRESS = 0x80 };

void screen_start(struct screen *screen)
{
    memset(screen->wanted, ' ', sizeof screen->wanted);
    memset(screen->shown, ' ', sizeof screen->shown);
    screen->cell = 0;
    screen->cursor = SCREEN_CELLS;
}

void screen_set_line(struct screen *screen, uint8_t line, const char text[TEXT_COLUMNS])
{
    memcpy(screen->wanted[line], text, TEXT_COLUMNS);
}

void screen_announce(struct screen *screen, const char *text)
{
    size_t length = strlen(text);
    memset(screen->wanted, ' ', sizeof screen->wanted);
    memcpy(&screen->wanted[1][(TEXT_COLUMNS - length) / 2], text, length);
}

bool screen_next(struct screen *screen, struct screen_byte *next)
{
    static const uint8_t line_address[TEXT_LINES] = {0x00, 0x40, 0x14, 0x54};
    for (uint8_t looked = 0; looked < SCREEN_CELLS; looked++) {
        uint8_t line = screen->cell / TEXT_COLUMNS, column = screen->cell % TEXT_COLUMNS;
        char wanted = screen->wanted[line][column];
        if (wanted != screen->shown[line][column]) {
            if (screen->cursor != screen->cell) {
                screen->cursor = screen->cell;
                *next = (struct screen_byte){false, (uint8_t)(SET_ADDRESS | (line_address[line] + column))};
                return true;
            }
            screen->shown[line][column] = wanted;
            *next = (struct screen_byte){true, (uint8_t)wanted};
            /* The display goes on to the next column; after the last one the address must be set anew. */
            screen->cursor = column + 1 < TEXT_COLUMNS ? (uint8_t)(screen->cell + 1) : SCREEN_CELLS;
            return true;
        }
        screen->cell = (uint8_t)((screen->cell + 1) % SCREEN_CELLS);
    }
    return false;
}
