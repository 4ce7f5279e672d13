#include "clock.h"

#include <avr/interrupt.h>
#include <util/atomic.h>

static volatile uint32_t milliseconds;

ISR(TIMER0_COMPA_vect)
{
    milliseconds++;
}

void clock_start(void)
{
    /* Timer 0 clears on compare every 250 counts of 64 cycles; timer 1 runs free at 8 cycles a count. */
    TCCR0A = 1 << WGM01;
    OCR0A = F_CPU / 64 / 1000 - 1;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = (1 << CS01) | (1 << CS00);
    TCCR1B = 1 << CS11;
}

uint32_t clock_ms(void)
{
    uint32_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        now = milliseconds;
    }
    return now;
}
