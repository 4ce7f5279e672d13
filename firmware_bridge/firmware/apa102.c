#include "apa102.h"

#include "pins.h"

void apa102_start(void)
{
    LAMPS_DATA_DDR |= 1 << LAMPS_DATA;
    LAMPS_CLOCK_DDR |= 1 << LAMPS_CLOCK;
}

static void send(uint8_t byte)
{
    for (uint8_t bit = 0x80; bit != 0; bit >>= 1) {
        if (byte & bit)
            LAMPS_DATA_PORT |= 1 << LAMPS_DATA;
        else
            LAMPS_DATA_PORT &= (uint8_t)~(1 << LAMPS_DATA);
        LAMPS_CLOCK_PORT |= 1 << LAMPS_CLOCK;
        LAMPS_CLOCK_PORT &= (uint8_t)~(1 << LAMPS_CLOCK);
    }
}

static void send_zeros(void)
{
    for (uint8_t i = 0; i < 4; i++)
        send(0);
}

void apa102_show(const struct rgb shown[PANEL_LAMPS])
{
    send_zeros(); /* opens the frame */
    for (uint8_t i = 0; i < PANEL_LAMPS; i++) {
        send(0xE0 | APA102_BRIGHTNESS);
        send(shown[i].blue);
        send(shown[i].green);
        send(shown[i].red);
    }
    send_zeros(); /* clocks the last lamps' data through the chain; the SK9822 shows only after it */
}
