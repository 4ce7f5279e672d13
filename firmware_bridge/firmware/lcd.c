#include "lcd.h"

#include <util/delay.h>

#include "clock.h"
#include "pins.h"

/* Any instruction but clear and home takes 37 us at the nominal 270 kHz; slow displays run at 190 kHz. */
enum { BUSY_HALF_US = 2 * 60 };
enum { FUNCTION_4_BIT_2_LINES = 0x28, DISPLAY_ON = 0x0C, CLEAR = 0x01, ENTRY_RIGHTWARD = 0x06 };

static uint16_t written_at;

static void write_nibble(uint8_t nibble)
{
    uint8_t others = LCD_DATA_PORT & (uint8_t)~(0x0F << LCD_DATA);
    LCD_DATA_PORT = others | (uint8_t)(nibble << LCD_DATA);
    LCD_E_PORT |= 1 << LCD_E;
    _delay_us(0.5);
    LCD_E_PORT &= (uint8_t)~(1 << LCD_E);
    _delay_us(0.5);
}

bool lcd_ready(void)
{
    return (uint16_t)(clock_half_us() - written_at) >= BUSY_HALF_US;
}

void lcd_write(bool is_data, uint8_t byte)
{
    if (is_data)
        LCD_RS_PORT |= 1 << LCD_RS;
    else
        LCD_RS_PORT &= (uint8_t)~(1 << LCD_RS);
    write_nibble(byte >> 4);
    write_nibble(byte & 0x0F);
    written_at = clock_half_us();
}

static void instruct(uint8_t instruction)
{
    while (!lcd_ready())
        ;
    lcd_write(false, instruction);
}

void lcd_start(void)
{
    LCD_RS_DDR |= 1 << LCD_RS;
    LCD_E_DDR |= 1 << LCD_E;
    LCD_DATA_DDR |= 0x0F << LCD_DATA;
    /* "Initializing by instruction", 4-bit: from the HD44780U data sheet, figure 24. */
    _delay_ms(50);
    write_nibble(0x3);
    _delay_ms(5);
    write_nibble(0x3);
    _delay_us(150);
    write_nibble(0x3);
    _delay_us(60);
    write_nibble(0x2);
    _delay_us(60);
    instruct(FUNCTION_4_BIT_2_LINES);
    instruct(DISPLAY_ON);
    instruct(CLEAR);
    _delay_ms(3);
    instruct(ENTRY_RIGHTWARD);
}
