#include "lamps.h"

static uint8_t dimmed(uint8_t channel, uint8_t level)
{
    /* channel * level / 255 to the nearest, without the division that the processor lacks. */
    uint16_t product = (uint16_t)((uint16_t)channel * level + 128);
    return (uint8_t)((product + (product >> 8)) >> 8);
}

static uint8_t pulse_level(uint32_t now_ms)
{
    uint16_t at = (uint16_t)(now_ms % PULSE_MS);
    uint16_t up = at < PULSE_MS / 2 ? at : (uint16_t)(PULSE_MS - 1 - at);
    return (uint8_t)(up / (PULSE_MS / 2 / 256));
}

static uint8_t count_chasing(const struct lamp lamps[PANEL_LAMPS])
{
    uint8_t chasing = 0;
    for (uint8_t i = 0; i < PANEL_LAMPS; i++)
        chasing = (uint8_t)(chasing + (lamps[i].mode == LAMP_CHASE));
    return chasing;
}

void lamps_render(const struct lamp lamps[PANEL_LAMPS], uint32_t now_ms, struct rgb shown[PANEL_LAMPS])
{
    uint8_t chasing = count_chasing(lamps);
    uint8_t turn = chasing > 0 ? (uint8_t)(now_ms / CHASE_MS % chasing) : 0;
    for (uint8_t i = 0; i < PANEL_LAMPS; i++) {
        uint8_t level = 0;
        switch (lamps[i].mode) {
        case LAMP_ON:
            level = 255;
            break;
        case LAMP_BLINK:
            level = now_ms % BLINK_MS < BLINK_MS / 2 ? 255 : 0;
            break;
        case LAMP_PULSE:
            level = pulse_level(now_ms);
            break;
        case LAMP_CHASE:
            level = turn-- == 0 ? 255 : 0;
            break;
        default:
            break;
        }
        shown[i].red = dimmed(lamps[i].red, level);
        shown[i].green = dimmed(lamps[i].green, level);
        shown[i].blue = dimmed(lamps[i].blue, level);
    }
}
