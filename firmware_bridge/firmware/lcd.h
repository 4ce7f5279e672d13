/* The bus of the HD44780 display: one byte at a time, never waiting for it but at the start. */
#ifndef LCD_H
#define LCD_H

#include <stdbool.h>
#include <stdint.h>

/* Sets the display up and clears it; waits about 60 ms in all. Needs the clock. */
void lcd_start(void);

/* Whether the display has had its time for the byte before. */
bool lcd_ready(void);

/* Writes a character or an instruction; the display must be ready. */
void lcd_write(bool is_data, uint8_t byte);

#endif
