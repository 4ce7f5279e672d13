/* The board's end of panel link v1: bytes and time in, bytes and calls of panel.h out. Plain C, no hardware.
 * tests/firmware_bridge/board_session.py is its model; both pass the same tests. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "events.h"
#include "frame.h"
#include "protocol.h"

enum { SESSION_MAX_WIRE = FRAME_MAX_WIRE + 1 };

enum session_state { SESSION_ALONE, SESSION_ANSWERED, SESSION_LINKED };

struct session {
    struct frame_decoder decoder;
    struct events events;
    uint32_t boot_id, host, ring_owner, key;
    uint32_t heard_ms, hello_at_ms, ping_at_ms;
    uint16_t view;                 /* newest seen in this session, if view_known */
    uint16_t lamps_view;           /* to acknowledge, if lamps_ack */
    uint16_t line_view[TEXT_LINES]; /* to acknowledge, where the bit in line_acks is set */
    uint16_t dropped_bytes;        /* set by the owner of the UART */
    uint8_t reset_cause;
    uint8_t line_acks;
    uint8_t state;
    bool host_resumes, hello_due, view_known, lamps_ack, text_stays;
};

/* boot_id: differs at each reset, never 0. reset_cause: as in BOARD_HELLO. */
void session_start(struct session *session, uint32_t boot_id, uint8_t reset_cause, uint32_t now_ms);

/* An input changed, debounced. */
void session_input(struct session *session, uint8_t input, bool pressed, uint32_t now_ms);

/* Takes one byte of the line. */
void session_receive(struct session *session, uint8_t byte, uint32_t now_ms);

/* Lets time pass. */
void session_advance(struct session *session, uint32_t now_ms);

/* Writes the next frame to send, if any, and returns its length or 0. Call until it returns 0. */
uint8_t session_next(struct session *session, uint8_t wire[SESSION_MAX_WIRE], uint32_t now_ms);

#endif
