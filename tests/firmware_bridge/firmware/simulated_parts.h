/* Models of what hangs on the panel's pins: shift registers with buttons, lamps, the display. Their answers on
 * stdout are described in simulated_board.c. */
#ifndef SIMULATED_PARTS_H
#define SIMULATED_PARTS_H

#include <stdbool.h>

#include <simavr/sim_avr.h>

enum { HERTZ = 16000000, CYCLES_PER_US = HERTZ / 1000000 };

/* The board's time in microseconds. */
unsigned long long parts_us(const avr_t *avr);

/* Connects the parts to the pins named in firmware_bridge/firmware/pins.h. */
void parts_wire_up(avr_t *avr);

/* Drives the pins again after a reset of the processor. */
void parts_restart(void);

/* A button will close or open in so many microseconds; parts_move_buttons does what is due. */
void parts_plan_move(avr_t *avr, unsigned long long in_us, unsigned input, bool closed);
void parts_move_buttons(avr_t *avr);

#endif
