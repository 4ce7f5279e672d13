#include "boot.h"

#include <avr/eeprom.h>
#include <avr/io.h>
#include <avr/wdt.h>

enum { CAUSE_UNKNOWN, CAUSE_POWER, CAUSE_BUTTON, CAUSE_BROWN_OUT, CAUSE_WATCHDOG };

static uint8_t reset_flags __attribute__((section(".noinit")));

/* Runs before main: after a watchdog reset the watchdog is still on, at its shortest time. */
void keep_reset_flags(void) __attribute__((naked, used, section(".init3")));
void keep_reset_flags(void)
{
    reset_flags = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

uint8_t boot_reset_cause(void)
{
    if (reset_flags & (1 << WDRF))
        return CAUSE_WATCHDOG;
    if (reset_flags & (1 << PORF))
        return CAUSE_POWER;
    if (reset_flags & (1 << BORF))
        return CAUSE_BROWN_OUT;
    if (reset_flags & (1 << EXTRF))
        return CAUSE_BUTTON;
    return CAUSE_UNKNOWN;
}

uint32_t boot_id(void)
{
    uint32_t *const count = (uint32_t *)0; /* the first word of the EEPROM; erased it is 0xFFFFFFFF */
    uint32_t id = eeprom_read_dword(count) + 1;
    if (id == 0)
        id = 1;
    eeprom_update_dword(count, id);
    return id;
}
