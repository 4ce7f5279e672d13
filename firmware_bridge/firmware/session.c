#include "session.h"

#include "bytes.h"
#include "check.h"
#include "panel.h"

enum { HOST_HELLO_BYTES = 14, BOARD_ID_BYTES = sizeof PANEL_BOARD_ID - 1, BOARD_HELLO_BYTES = 19 };

void session_start(struct session *session, uint32_t boot_id, uint8_t reset_cause, uint32_t now_ms)
{
    *session = (struct session){.boot_id = boot_id, .reset_cause = reset_cause, .hello_at_ms = now_ms};
    session->heard_ms = now_ms;
    session->hello_due = true;
    events_start(&session->events);
}

void session_input(struct session *session, uint8_t input, bool pressed, uint32_t now_ms)
{
    events_push(&session->events, input, pressed, now_ms);
}

static void go_alone(struct session *session, uint32_t now_ms)
{
    session->state = SESSION_ALONE;
    session->host = NOBODY;
    session->hello_due = true;
    session->hello_at_ms = now_ms;
    session->text_stays = false;
}

void session_advance(struct session *session, uint32_t now_ms)
{
    if (session->state != SESSION_ALONE && is_due(session->heard_ms + LOSS_MS, now_ms)) {
        bool stays = session->text_stays;
        go_alone(session, now_ms);
        panel_host(stays ? HOST_LEFT : HOST_LOST);
    }
}

/* The newest protocol version of both ends, 0 if there is none. */
static uint8_t common_version(uint8_t oldest, uint8_t newest)
{
    uint8_t version = newest < VERSION_NEWEST ? newest : VERSION_NEWEST;
    return version >= oldest && version >= VERSION_OLDEST ? version : 0;
}

static void meet(struct session *session, const uint8_t *payload, uint32_t now_ms)
{
    uint32_t host = get32(payload + 5), remembers = get32(payload + 9);
    if (payload[0] > payload[1] || host == NOBODY)
        return;
    session->hello_due = true;
    session->hello_at_ms = now_ms;
    uint8_t version = common_version(payload[0], payload[1]);
    if (version == 0) {
        if (session->state != SESSION_ALONE)
            panel_host(HOST_LOST);
        go_alone(session, now_ms);
        panel_host(HOST_REFUSED);
        return;
    }
    session->host_resumes = host == session->ring_owner && remembers == session->boot_id;
    if (session->state == SESSION_LINKED && session->host_resumes)
        return; /* this host repeats itself, or did not hear us; only its pings keep the link alive */
    session->state = SESSION_ANSWERED;
    session->host = host;
    session->key = check_session_key(host, session->boot_id, version);
    session->heard_ms = now_ms;
}

static void link_up(struct session *session, uint32_t now_ms)
{
    session->state = SESSION_LINKED;
    session->ping_at_ms = now_ms;
    session->view_known = false;
    session->lamps_ack = false;
    session->text_stays = false;
    session->line_acks = 0;
    if (session->host_resumes) {
        events_resend(&session->events);
    } else {
        events_restart(&session->events);
        session->ring_owner = session->host;
        session->host_resumes = true;
    }
    panel_host(HOST_FOUND);
}

/* Whether a view is not older than the newest seen, which it becomes. */
static bool view_counts(struct session *session, uint16_t view)
{
    if (session->view_known && (int16_t)(uint16_t)(view - session->view) < 0)
        return false;
    session->view = view;
    session->view_known = true;
    return true;
}

static bool lamps_fit(const uint8_t *payload, uint8_t length)
{
    if (length != 2 + PANEL_LAMPS * LAMP_BYTES)
        return false;
    for (uint8_t at = 2; at < length; at += LAMP_BYTES)
        if (payload[at] >= LAMP_MODES)
            return false;
    return true;
}

static bool text_fits(const uint8_t *payload, uint8_t length)
{
    if (length != 3 + TEXT_COLUMNS || payload[2] >= TEXT_LINES)
        return false;
    for (uint8_t at = 3; at < length; at++)
        if (payload[at] < 0x20 || payload[at] > 0x7E)
            return false;
    return true;
}

static void show_lamps(struct session *session, const uint8_t *payload)
{
    uint16_t view = get16(payload);
    struct lamp lamps[PANEL_LAMPS];
    if (!view_counts(session, view))
        return;
    for (uint8_t i = 0; i < PANEL_LAMPS; i++) {
        const uint8_t *from = payload + 2 + i * LAMP_BYTES;
        lamps[i] = (struct lamp){from[0], from[1], from[2], from[3]};
    }
    panel_lamps(lamps);
    session->lamps_view = view;
    session->lamps_ack = true;
}

static void show_text(struct session *session, const uint8_t *payload)
{
    uint16_t view = get16(payload);
    uint8_t line = payload[2];
    if (!view_counts(session, view))
        return;
    panel_line(line, (const char *)payload + 3);
    session->line_view[line] = view;
    session->line_acks |= (uint8_t)(1 << line);
}

static bool is_for_us(uint8_t type, const uint8_t *payload, uint8_t length)
{
    switch (type) {
    case HOST_PING:
    case STAY:
        return length == 0;
    case LAMPS:
        return lamps_fit(payload, length);
    case TEXT:
        return text_fits(payload, length);
    case EVENT_ACK:
        return length == 4;
    default:
        return false;
    }
}

/* A message of this session. */
static void take(struct session *session, uint8_t type, const uint8_t *payload, uint32_t now_ms)
{
    session->heard_ms = now_ms;
    if (session->state == SESSION_ANSWERED)
        link_up(session, now_ms);
    if (type == STAY)
        session->text_stays = true;
    else if (type == EVENT_ACK)
        events_acknowledge(&session->events, get32(payload), now_ms);
    else if (type == LAMPS)
        show_lamps(session, payload);
    else if (type == TEXT)
        show_text(session, payload);
}

void session_receive(struct session *session, uint8_t byte, uint32_t now_ms)
{
    session_advance(session, now_ms);
    uint8_t length = frame_take(&session->decoder, byte);
    if (length == 0)
        return;
    const uint8_t *body = session->decoder.bytes;
    uint8_t plain = (uint8_t)(length - CHECK_BYTES);
    bool hello = body[0] == HOST_HELLO;
    if (length <= CHECK_BYTES || (!hello && session->state == SESSION_ALONE) ||
        !check_fits(body, length, hello ? CHECK_HELLO_KEY : session->key)) {
        session->decoder.damaged++;
        return;
    }
    if (hello && plain >= HOST_HELLO_BYTES)
        meet(session, body + 1, now_ms);
    else if (!hello && is_for_us(body[0], body + 1, (uint8_t)(plain - 1)))
        take(session, body[0], body + 1, now_ms);
    else
        session->decoder.damaged++;
}

static uint8_t framed(uint8_t *body, uint8_t plain, uint32_t key, uint8_t *wire)
{
    check_append(body, plain, key);
    return frame_encode(body, (uint8_t)(plain + CHECK_BYTES), wire);
}

static uint8_t hello(struct session *session, uint8_t *wire, uint32_t now_ms)
{
    static const char board_id[] = PANEL_BOARD_ID;
    uint8_t body[FRAME_MAX_BODY] = {
        BOARD_HELLO, VERSION_OLDEST, VERSION_NEWEST, FIRMWARE_MAJOR, FIRMWARE_MINOR, FIRMWARE_PATCH};
    put32(body + 6, session->boot_id);
    put32(body + 10, session->host);
    body[14] = session->host != NOBODY && session->host_resumes;
    body[15] = session->reset_cause;
    body[16] = PANEL_INPUTS;
    body[17] = PANEL_LAMPS;
    body[18] = BOARD_ID_BYTES;
    for (uint8_t i = 0; i < BOARD_ID_BYTES; i++)
        body[BOARD_HELLO_BYTES + i] = (uint8_t)board_id[i];
    session->hello_due = session->state == SESSION_ALONE;
    session->hello_at_ms = now_ms + BEACON_MS;
    wire[0] = 0; /* ends whatever noise the line brought until now */
    return (uint8_t)(1 + framed(body, BOARD_HELLO_BYTES + BOARD_ID_BYTES, CHECK_HELLO_KEY, wire + 1));
}

/* Type and payload of the next message of a link that stands; returns their length or 0. */
static uint8_t next_plain(struct session *session, uint8_t *body, uint32_t now_ms)
{
    if (is_due(session->ping_at_ms, now_ms)) {
        session->ping_at_ms = now_ms + PING_MS;
        body[0] = BOARD_PING;
        put16(body + 1, session->decoder.damaged);
        put16(body + 3, session->dropped_bytes);
        return 5;
    }
    if (session->lamps_ack) {
        session->lamps_ack = false;
        body[0] = LAMPS_ACK;
        put16(body + 1, session->lamps_view);
        return 3;
    }
    for (uint8_t line = 0; line < TEXT_LINES; line++) {
        if (session->line_acks & (1 << line)) {
            session->line_acks &= (uint8_t)~(1 << line);
            body[0] = TEXT_ACK;
            put16(body + 1, session->line_view[line]);
            body[3] = line;
            return 4;
        }
    }
    return events_next(&session->events, body, now_ms);
}

uint8_t session_next(struct session *session, uint8_t wire[SESSION_MAX_WIRE], uint32_t now_ms)
{
    session_advance(session, now_ms);
    if (session->hello_due && is_due(session->hello_at_ms, now_ms))
        return hello(session, wire, now_ms);
    if (session->state != SESSION_LINKED)
        return 0;
    uint8_t body[FRAME_MAX_BODY];
    uint8_t plain = next_plain(session, body, now_ms);
    return plain == 0 ? 0 : framed(body, plain, session->key, wire);
}
