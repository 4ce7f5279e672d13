/* Numbers of panel link v1: message types, times, sizes (docs/panel-link.md). */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdint.h>

enum { VERSION_OLDEST = 1, VERSION_NEWEST = 1 };

enum message_type {
    HOST_HELLO = 0x01,
    HOST_PING = 0x02,
    LAMPS = 0x03,
    TEXT = 0x04,
    EVENT_ACK = 0x05,
    STAY = 0x06,
    BOARD_HELLO = 0x81,
    BOARD_PING = 0x82,
    LAMPS_ACK = 0x83,
    TEXT_ACK = 0x84,
    EVENT = 0x85,
    INPUTS = 0x86,
};

enum { LOSS_MS = 1500, PING_MS = 250, BEACON_MS = 200, RESEND_MS = 50, RESEND_MOST_MS = 400 };
enum { NOBODY = 0, TEXT_LINES = 4, TEXT_COLUMNS = 20, LAMP_BYTES = 4 };

/* The wait before the next resend is twice the last one, up to the most. */
static inline uint16_t later_wait(uint16_t wait_ms)
{
    return 2 * wait_ms > RESEND_MOST_MS ? RESEND_MOST_MS : (uint16_t)(2 * wait_ms);
}

#endif
