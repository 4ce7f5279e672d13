#include "lcd.h"

#include <util/delay.h>

#include "clock.h"
#include "pins.h"

static uint16_t written_at, busy_half_us;

static void write_nibble(uint8_t nibble)
{
    uint8_t others = LCD_DATA_PORT & (uint8_t)~(0x0F << LCD_DATA);
    LCD_DATA_PORT = others | (uint8_t)(nibble << LCD_DATA);
    LCD_E_PORT |= 1 << LCD_E;
    _delay_us(0.5);
    LCD_E_PORT &= (uint8_t)~(1 << LCD_E);
    _delay_us(0.5);
}

void lcd_start(void)
{
    LCD_RS_DDR |= 1 << LCD_RS;
    LCD_E_DDR |= 1 << LCD_E;
    LCD_DATA_DDR |= 0x0F << LCD_DATA;
}

bool lcd_ready(void)
{
    return (uint16_t)(clock_half_us() - written_at) >= busy_half_us;
}

void lcd_write(const struct screen_byte *written)
{
    if (written->is_data)
        LCD_RS_PORT |= 1 << LCD_RS;
    else
        LCD_RS_PORT &= (uint8_t)~(1 << LCD_RS);
    if (!written->is_nibble)
        write_nibble(written->byte >> 4);
    write_nibble(written->byte & 0x0F);
    written_at = clock_half_us();
    busy_half_us = 2 * written->busy_us;
}
