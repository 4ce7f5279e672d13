#ifndef NOTES_H
#define NOTES_H

#include <stdbool.h>
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

enum { EEPROM_BYTES = 1024 };

/* Power goes while the byte after writes_left others is being written, which then holds torn_byte. */
extern struct eeprom {
    uint32_t writes_left;
    uint32_t writes[EEPROM_BYTES];
    uint8_t bytes[EEPROM_BYTES];
    uint8_t torn_byte;
    bool torn;
} eeprom;

#endif
