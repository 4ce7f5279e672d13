/* Which pin of the ATmega328P goes where. On an Arduino Nano or Uno: PD0-PD7 are D0-D7, PB0-PB5 are D8-D13,
 * PC0-PC5 are A0-A5. PD0 and PD1 are the serial link, PB3-PB5 and RESET stay free for a programmer.
 *
 * A pin is a port letter and a bit. Inputs and outputs are set up by the module that uses them. */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>

/* Buttons: four 74HC165 in a chain, QH of each to SER of the one before. Button n closes to ground and pulls up
 * to 5 V; the first chip's input H is button 0, its G is 1, ... its A is 7, the second chip's H is 8. */
#define BUTTONS_LOAD_PORT PORTD /* SH/LD of all chips */
#define BUTTONS_LOAD_DDR DDRD
#define BUTTONS_LOAD 2
#define BUTTONS_CLOCK_PORT PORTD /* CLK of all chips; CLK INH to ground */
#define BUTTONS_CLOCK_DDR DDRD
#define BUTTONS_CLOCK 3
#define BUTTONS_DATA_PIN PIND /* QH of the first chip */
#define BUTTONS_DATA 4

/* Lamps: nine APA102 in a chain; seat 1 is the first, the table's lamp the last. */
#define LAMPS_DATA_PORT PORTD
#define LAMPS_DATA_DDR DDRD
#define LAMPS_DATA 5
#define LAMPS_CLOCK_PORT PORTD
#define LAMPS_CLOCK_DDR DDRD
#define LAMPS_CLOCK 6

/* Display: HD44780 or compatible, 20 by 4, four-bit bus, R/W to ground: it is never read. */
#define LCD_RS_PORT PORTB
#define LCD_RS_DDR DDRB
#define LCD_RS 0
#define LCD_E_PORT PORTB
#define LCD_E_DDR DDRB
#define LCD_E 1
#define LCD_DATA_PORT PORTC /* D4-D7 of the display on four bits in a row, this the first */
#define LCD_DATA_DDR DDRC
#define LCD_DATA 0

#endif
