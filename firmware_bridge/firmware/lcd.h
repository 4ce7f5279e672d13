/* The bus of the HD44780 display: one byte at a time, never waiting for it. */
#ifndef LCD_H
#define LCD_H

#include <stdbool.h>

#include "screen.h"

void lcd_start(void);

/* Whether the display has had its time for the byte before. */
bool lcd_ready(void);

/* Writes a byte or a nibble; the display must be ready. */
void lcd_write(const struct screen_byte *written);

#endif
