#include "screen.h"

#include <string.h>

#include "bytes.h"

/* Any instruction but clear and home takes 37 us at the nominal 270 kHz; slow displays run at 190 kHz. */
enum { BUSY_US = 60, HOME_US = 3000 };
enum { HOME = 0x02, ENTRY_RIGHTWARD = 0x06, DISPLAY_ON = 0x0C, FUNCTION_4_BIT_2_LINES = 0x28, SET_ADDRESS = 0x80 };

/* "Initializing by instruction", 4-bit: HD44780U data sheet, figure 24. It brings a display to a bus of four bits
 * that is on one of eight, on one of four, or on one of four with half a byte taken. In the last case the first
 * nibble ends a byte, at worst a home, hence its wait. A display that is well is on one line from the second
 * nibble to the function set, too short to be seen. Home undoes a shift. */
static const struct screen_byte set_up[] = {
    {.byte = 0x3, .is_nibble = true, .busy_us = 5000},
    {.byte = 0x3, .is_nibble = true, .busy_us = 150},
    {.byte = 0x3, .is_nibble = true, .busy_us = BUSY_US},
    {.byte = 0x2, .is_nibble = true, .busy_us = BUSY_US},
    {.byte = FUNCTION_4_BIT_2_LINES, .busy_us = BUSY_US},
    {.byte = DISPLAY_ON, .busy_us = BUSY_US},
    {.byte = ENTRY_RIGHTWARD, .busy_us = BUSY_US},
    {.byte = HOME, .busy_us = HOME_US},
};
enum { SCREEN_STEPS = sizeof set_up / sizeof *set_up, SCREEN_OFF };

void screen_start(struct screen *screen, uint32_t now_ms)
{
    memset(screen->wanted, ' ', sizeof screen->wanted);
    screen->step = SCREEN_OFF;
    screen->refresh_at_ms = now_ms + SCREEN_POWER_UP_MS;
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

static void refresh(struct screen *screen, uint32_t now_ms)
{
    memset(screen->shown, 0, sizeof screen->shown);
    screen->refresh_at_ms = now_ms + SCREEN_REFRESH_MS;
    screen->step = 0;
    screen->cell = 0;
    screen->cursor = SCREEN_CELLS;
}

/* The display's address of a cell; its lines begin in an order of their own. */
static uint8_t address(uint8_t cell)
{
    static const uint8_t line_starts[TEXT_LINES] = {0x00, 0x40, 0x14, 0x54};
    return (uint8_t)(line_starts[cell / TEXT_COLUMNS] + cell % TEXT_COLUMNS);
}

/* The next byte for a display that is set up. */
static bool next_change(struct screen *screen, struct screen_byte *next)
{
    uint8_t cell = screen->cell;
    while (screen->wanted[cell] == screen->shown[cell]) {
        if (++cell == SCREEN_CELLS)
            cell = 0;
        if (cell == screen->cell)
            return false;
    }
    screen->cell = cell;
    *next = (struct screen_byte){.busy_us = BUSY_US};
    if (screen->cursor != cell) {
        screen->cursor = cell;
        next->byte = (uint8_t)(SET_ADDRESS | address(cell));
        return true;
    }
    screen->shown[cell] = screen->wanted[cell];
    next->is_data = true;
    next->byte = (uint8_t)screen->wanted[cell];
    /* The display goes on to the next column; after the last one the address must be set anew. */
    screen->cursor = (uint8_t)(cell + 1) % TEXT_COLUMNS == 0 ? SCREEN_CELLS : (uint8_t)(cell + 1);
    return true;
}

bool screen_next(struct screen *screen, struct screen_byte *next, uint32_t now_ms)
{
    if (is_due(screen->refresh_at_ms, now_ms))
        refresh(screen, now_ms);
    if (screen->step < SCREEN_STEPS) {
        *next = set_up[screen->step++];
        return true;
    }
    return screen->step == SCREEN_STEPS && next_change(screen, next);
}
