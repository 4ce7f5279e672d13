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
    memcpy(screen->wanted + line * TEXT_COLUMNS, text, TEXT_COLUMNS);
}

void screen_announce(struct screen *screen, const char *text)
{
    size_t length = strlen(text);
    memset(screen->wanted, ' ', sizeof screen->wanted);
    memcpy(screen->wanted + TEXT_COLUMNS + (TEXT_COLUMNS - length) / 2, text, length);
}

/* The display's address of a cell; its lines begin in an order of their own. */
static uint8_t address(uint8_t cell)
{
    static const uint8_t line_starts[TEXT_LINES] = {0x00, 0x40, 0x14, 0x54};
    return (uint8_t)(line_starts[cell / TEXT_COLUMNS] + cell % TEXT_COLUMNS);
}

bool screen_next(struct screen *screen, struct screen_byte *next)
{
    uint8_t cell = screen->cell;
    while (screen->wanted[cell] == screen->shown[cell]) {
        if (++cell == SCREEN_CELLS)
            cell = 0;
        if (cell == screen->cell)
            return false;
    }
    screen->cell = cell;
    if (screen->cursor != cell) {
        screen->cursor = cell;
        *next = (struct screen_byte){false, (uint8_t)(SET_ADDRESS | address(cell))};
        return true;
    }
    screen->shown[cell] = screen->wanted[cell];
    *next = (struct screen_byte){true, (uint8_t)screen->wanted[cell]};
    /* The display goes on to the next column; after the last one the address must be set anew. */
    screen->cursor = (uint8_t)(cell + 1) % TEXT_COLUMNS == 0 ? SCREEN_CELLS : (uint8_t)(cell + 1);
    return true;
}
