#include "debounce.h"

uint32_t debounce_sample(struct debounce *debounce, uint32_t raw)
{
    uint32_t changed = 0, differing = raw ^ debounce->stable, bit = 1;
    for (uint8_t input = 0; input < PANEL_INPUTS; input++, bit <<= 1) {
        if (!(differing & bit)) {
            debounce->differs[input] = 0;
        } else if (++debounce->differs[input] == DEBOUNCE_SAMPLES) {
            debounce->differs[input] = 0;
            changed |= bit;
        }
    }
    debounce->stable ^= changed;
    return changed;
}
