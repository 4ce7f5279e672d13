#include "buttons.h"

#include "panel.h"
#include "pins.h"

void buttons_start(void)
{
    BUTTONS_LOAD_PORT |= 1 << BUTTONS_LOAD;
    BUTTONS_LOAD_DDR |= 1 << BUTTONS_LOAD;
    BUTTONS_CLOCK_DDR |= 1 << BUTTONS_CLOCK;
}

uint32_t buttons_sample(void)
{
    uint32_t pressed = 0;
    BUTTONS_LOAD_PORT &= (uint8_t)~(1 << BUTTONS_LOAD); /* the chips copy their inputs while this is low */
    BUTTONS_LOAD_PORT |= 1 << BUTTONS_LOAD;
    for (uint32_t bit = 1; bit != (uint32_t)1 << PANEL_INPUTS; bit <<= 1) {
        if (!(BUTTONS_DATA_PIN & (1 << BUTTONS_DATA)))
            pressed |= bit;
        BUTTONS_CLOCK_PORT |= 1 << BUTTONS_CLOCK;
        BUTTONS_CLOCK_PORT &= (uint8_t)~(1 << BUTTONS_CLOCK);
    }
    return pressed;
}
