#ifndef NOTES_H
#define NOTES_H

#include <stdint.h>

#include "panel.h"

enum note_kind { NOTE_HOST, NOTE_LAMPS, NOTE_LINE };
enum { NOTES = 256, NOTE_BYTES = PANEL_LAMPS * LAMP_BYTES };

struct note {
    uint8_t kind, which;
    uint8_t bytes[NOTE_BYTES];
};

/* The test reads these and sets count back to 0. */
extern struct notes {
    uint32_t count;
    struct note noted[NOTES];
} notes;

#endif
