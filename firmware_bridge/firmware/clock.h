/* Milliseconds since the reset, from timer 0; and the sixteen-bit count of timer 1 for short waits. */
#ifndef CLOCK_H
#define CLOCK_H

#include <avr/io.h>
#include <stdint.h>

void clock_start(void);

/* Goes round after 2^32 ms. */
uint32_t clock_ms(void);

/* Half microseconds, going round after 32.8 ms. */
static inline uint16_t clock_half_us(void)
{
    return TCNT1;
}

#endif
