/* What a panel without hardware does when the session asks something of it: it takes notes for the test. */
#include "notes.h"

#include <stdlib.h>
#include <string.h>

#include "boot_id.h"
#include "session.h"

struct notes notes;
struct eeprom eeprom;

void panel_host(enum host_news news)
{
    if (notes.count < NOTES)
        notes.noted[notes.count++] = (struct note){.kind = NOTE_HOST, .which = (uint8_t)news};
}

void panel_lamps(const struct lamp lamps[PANEL_LAMPS])
{
    if (notes.count < NOTES) {
        struct note *note = &notes.noted[notes.count++];
        note->kind = NOTE_LAMPS;
        memcpy(note->bytes, lamps, PANEL_LAMPS * sizeof *lamps);
    }
}

void panel_line(uint8_t line, const char text[TEXT_COLUMNS])
{
    if (notes.count < NOTES) {
        struct note *note = &notes.noted[notes.count++];
        note->kind = NOTE_LINE;
        note->which = line;
        memcpy(note->bytes, text, TEXT_COLUMNS);
    }
}

struct session *new_session(uint32_t boot_id, uint8_t reset_cause, uint32_t now_ms)
{
    struct session *session = malloc(sizeof *session);
    if (session != NULL)
        session_start(session, boot_id, reset_cause, now_ms);
    return session;
}

void session_feed(struct session *session, const uint8_t *bytes, uint32_t length, uint32_t now_ms)
{
    for (uint32_t i = 0; i < length; i++)
        session_receive(session, bytes[i], now_ms);
}

void free_session(struct session *session)
{
    free(session);
}

uint8_t boot_id_read(uint16_t at)
{
    return eeprom.bytes[at];
}

void boot_id_write(uint16_t at, uint8_t byte)
{
    if (eeprom.bytes[at] == byte)
        return;
    if (eeprom.writes_left == 0) {
        if (!eeprom.torn)
            eeprom.bytes[at] = eeprom.torn_byte;
        eeprom.torn = true;
        return;
    }
    eeprom.writes_left--;
    eeprom.bytes[at] = byte;
    eeprom.writes[at]++;
}
