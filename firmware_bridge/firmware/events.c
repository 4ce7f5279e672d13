#include "events.h"

#include "bytes.h"
#include "protocol.h"

enum { REPORT_OVERFLOW = 0xFE, REPORT_RESTART = 0xFF };

static void lose(struct events *events, uint16_t count)
{
    events->lost = count > 0xFFFF - events->lost ? 0xFFFF : (uint16_t)(events->lost + count);
}

static struct event_entry *append(struct events *events)
{
    return &events->kept[(uint8_t)(events->first + events->count++) % EVENTS_KEPT];
}

static void append_report(struct events *events, uint8_t code)
{
    struct event_entry *entry = append(events);
    entry->code = code;
    entry->is.report.held = events->held;
    entry->is.report.lost = events->lost;
    events->lost = 0;
}

void events_start(struct events *events)
{
    *events = (struct events){.oldest = 1, .resend_wait_ms = RESEND_MS};
}

void events_push(struct events *events, uint8_t input, bool pressed, uint32_t now_ms)
{
    uint32_t bit = (uint32_t)1 << input;
    events->held = pressed ? events->held | bit : events->held & ~bit;
    if (events->lost > 0 || events->count == EVENTS_KEPT) {
        lose(events, 1);
        return;
    }
    struct event_entry *entry = append(events);
    entry->code = (uint8_t)(input | (pressed ? 0x80 : 0));
    entry->is.at_ms = now_ms;
}

void events_restart(struct events *events)
{
    lose(events, events->count);
    events->oldest += events->count;
    events->count = 0;
    append_report(events, REPORT_RESTART);
    events_resend(events);
}

void events_resend(struct events *events)
{
    events->sent = 0;
    events->resend_wait_ms = RESEND_MS;
}

void events_acknowledge(struct events *events, uint32_t number, uint32_t now_ms)
{
    uint32_t done = number - events->oldest + 1;
    if (done == 0 || done > events->count)
        return;
    events->first = (uint8_t)(events->first + done) % EVENTS_KEPT;
    events->count = (uint8_t)(events->count - done);
    events->oldest += done;
    events->sent = done < events->sent ? (uint8_t)(events->sent - done) : 0;
    events->resend_wait_ms = RESEND_MS;
    events->resend_at_ms = now_ms + RESEND_MS;
    if (events->lost > 0)
        append_report(events, REPORT_OVERFLOW);
}

uint8_t events_next(struct events *events, uint8_t plain[EVENT_PAYLOAD_MOST], uint32_t now_ms)
{
    if (events->sent > 0 && is_due(events->resend_at_ms, now_ms)) {
        events->sent = 0;
        events->resend_wait_ms = later_wait(events->resend_wait_ms);
    }
    if (events->sent >= events->count || events->sent >= EVENTS_WINDOW)
        return 0;
    const struct event_entry *entry = &events->kept[(uint8_t)(events->first + events->sent) % EVENTS_KEPT];
    put32(plain + 1, events->oldest + events->sent);
    events->sent++;
    events->resend_at_ms = now_ms + events->resend_wait_ms;
    if (entry->code >= REPORT_OVERFLOW) {
        plain[0] = INPUTS;
        plain[5] = entry->code == REPORT_RESTART;
        put16(plain + 6, entry->is.report.lost);
        put32(plain + 8, entry->is.report.held);
        return 12;
    }
    uint32_t age = (now_ms - entry->is.at_ms) / 10;
    plain[0] = EVENT;
    plain[5] = age > 0xFF ? 0xFF : (uint8_t)age;
    plain[6] = entry->code;
    return 7;
}
