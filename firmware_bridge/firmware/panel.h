/* What this panel is, and what the session asks of it. main.c does it with hardware, the tests by taking notes. */
#ifndef PANEL_H
#define PANEL_H

#include <stdint.h>

#include "protocol.h"

#define PANEL_BOARD_ID "dicetable-25x9"
enum { PANEL_INPUTS = 25, PANEL_LAMPS = 9 };
enum { FIRMWARE_MAJOR = 1, FIRMWARE_MINOR = 0, FIRMWARE_PATCH = 0 };

enum lamp_mode { LAMP_OFF, LAMP_ON, LAMP_BLINK, LAMP_PULSE, LAMP_CHASE, LAMP_MODES };

struct lamp {
    uint8_t mode, red, green, blue;
};

/* HOST_LEFT: it said before that its text is to stay. */
enum host_news { HOST_FOUND, HOST_LOST, HOST_REFUSED, HOST_LEFT };

void panel_host(enum host_news news);
void panel_lamps(const struct lamp lamps[PANEL_LAMPS]);
void panel_line(uint8_t line, const char text[TEXT_COLUMNS]);

#endif
