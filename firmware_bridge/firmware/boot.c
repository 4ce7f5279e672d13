/* A program that hangs starts again within 250 ms by its own watchdog interrupt, which jumps to the start.
 *
 * It does not rely on a watchdog reset: after one, the watchdog stays on at 16 ms until the program turns it off,
 * and the bootloader of old Nanos (ATmegaBOOT) takes longer than that to come to the program. Such a board would
 * reset for ever, also after its reset button, until its power is cut. Where no such bootloader is, the reset
 * follows if the interrupt cannot run for another 250 ms.
 */
#include "boot.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>
#include <stdbool.h>

enum { CAUSE_UNKNOWN, CAUSE_POWER, CAUSE_BUTTON, CAUSE_BROWN_OUT, CAUSE_WATCHDOG };
enum { RESET_FLAGS = (1 << PORF) | (1 << EXTRF) | (1 << BORF) | (1 << WDRF) };

/* RAM that no reset clears, only a loss of power. */
#define KEPT __attribute__((section(".noinit")))
enum { RAN = 0x52414E21, HUNG = 0x48554E47 };
static uint32_t last_run KEPT; /* RAN, HUNG, or anything if power was lost */
static uint8_t handed_over KEPT, reset_flags KEPT;
static bool reset_is_survived KEPT;

static uint8_t cause;

/* The first instructions. Optiboot from version 4.6 hands over the reset flags in r2. Nothing else uses r2 (see
 * FLAGS in the Makefile), so with another bootloader it holds the 0 of the last start. */
void keep_handed_over(void) __attribute__((naked, used, section(".init0")));
void keep_handed_over(void)
{
    __asm__ volatile("sts %0, r2\n\tclr r2" : : "i"(&handed_over));
}

/* Runs before main, within the 16 ms that the watchdog leaves after its reset. */
void keep_reset_flags(void) __attribute__((naked, used, section(".init3")));
void keep_reset_flags(void)
{
    reset_flags = MCUSR;
    /* ATmegaBOOT jumps to the program with its UART on. Optiboot comes to it from a reset, with all I/O off. When
     * the program has restarted itself, the UART is on too, but WDE says what was found the first time. */
    reset_is_survived = !(UCSR0B & (1 << RXEN0)) || (WDTCSR & (1 << WDE));
    MCUSR = 0;
    wdt_disable();
}

static uint8_t find_cause(void)
{
    bool power_kept = last_run == RAN || last_run == HUNG;
    uint8_t flags = reset_flags;
    if (flags == 0 && (handed_over & (uint8_t)~RESET_FLAGS) == 0 &&
        (power_kept || handed_over & ((1 << PORF) | (1 << BORF)))) /* after power-on r2 may be anything */
        flags = handed_over;
    if (flags & (1 << PORF))
        return CAUSE_POWER;
    if (flags & (1 << BORF))
        return CAUSE_BROWN_OUT;
    if (flags & (1 << EXTRF)) /* perhaps with WDRF: that is how Optiboot ends its wait for a programmer */
        return CAUSE_BUTTON;
    if (flags & (1 << WDRF) || last_run == HUNG)
        return CAUSE_WATCHDOG;
    return power_kept ? CAUSE_UNKNOWN : CAUSE_POWER;
}

/* Stops whatever the bootloader, or a program that hung, has left running: what drives pins, what interrupts. */
static void stop_io(void)
{
    PRR = 0; /* the timers and the UART have their clock */
    EIMSK = PCICR = ACSR = 0;
    TIMSK0 = TIMSK1 = TIMSK2 = 0;
    TCCR0A = TCCR0B = 0;
    TCCR1A = TCCR1B = 0;
    TCCR2A = TCCR2B = 0;
    UCSR0B = SPCR = TWCR = ADCSRA = EECR = SPMCSR = 0;
    DDRB = DDRC = DDRD = 0;
    PORTB = PORTC = PORTD = 0;
}

void boot_start(void)
{
    stop_io();
    cause = find_cause();
    last_run = RAN;
    uint8_t mode = (1 << WDIE) | (1 << WDP2); /* 250 ms */
    if (reset_is_survived)
        mode |= 1 << WDE;
    wdt_reset();
    WDTCSR = (1 << WDCE) | (1 << WDE);
    WDTCSR = mode;
}

/* The program hangs. Nothing is returned to, so nothing is saved, and the stack may be anywhere. */
ISR(WDT_vect, ISR_NAKED)
{
    last_run = HUNG;
    __asm__ volatile("jmp 0");
}

uint8_t boot_reset_cause(void)
{
    return cause;
}

void boot_feed_watchdog(void)
{
    wdt_reset();
}
