/* The ring of numbered events: kept until acknowledged, the dropped ones counted. Plain C, no hardware. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { EVENTS_KEPT = 32, EVENTS_WINDOW = 8, EVENT_PAYLOAD_MOST = 12 };

struct event_entry {
    uint8_t code; /* the input with bit 7 set for a press, or one of the REPORT_ codes of events.c */
    union {
        uint32_t at_ms;
        struct {
            uint32_t held;
            uint16_t lost;
        } report;
    } is;
};

/* Start it with events_start. Numbers begin at 1 and go round after 2^32. */
struct events {
    struct event_entry kept[EVENTS_KEPT];
    uint32_t held;   /* one bit an input */
    uint32_t oldest; /* number of the oldest entry kept */
    uint32_t resend_at_ms;
    uint16_t resend_wait_ms;
    uint16_t lost;
    uint8_t first, count, sent;
};

void events_start(struct events *events);

/* An input changed; dropped and counted while the ring is full. */
void events_push(struct events *events, uint8_t input, bool pressed, uint32_t now_ms);

/* Another host, or one that forgot: drops all, and opens with a report of how much that was. */
void events_restart(struct events *events);

/* The link was interrupted: what was under way must be sent again. */
void events_resend(struct events *events);

/* The host has every event up to this number. */
void events_acknowledge(struct events *events, uint32_t number, uint32_t now_ms);

/* Writes type and payload of the event to send now; returns their length, 0 if there is none. */
uint8_t events_next(struct events *events, uint8_t plain[EVENT_PAYLOAD_MOST], uint32_t now_ms);

#endif
