#include "boot_id.h"

#include <stdbool.h>

#include "bytes.h"
#include "frame.h"

enum { ID_BYTES = 4 };

static uint16_t check_of(const uint8_t *slot)
{
    uint16_t crc = 0xFFFF;
    for (uint8_t i = 0; i < ID_BYTES; i++)
        crc = frame_crc16(crc, slot[i]);
    return crc;
}

/* The id in a slot, 0 if it holds none. */
static uint32_t id_in(uint8_t slot)
{
    uint8_t bytes[BOOT_ID_SLOT_BYTES];
    for (uint8_t i = 0; i < sizeof bytes; i++)
        bytes[i] = boot_id_read((uint16_t)(slot * BOOT_ID_SLOT_BYTES + i));
    return check_of(bytes) == get16(bytes + ID_BYTES) ? get32(bytes) : 0;
}

static bool is_blank(uint8_t slot)
{
    for (uint8_t i = 0; i < BOOT_ID_SLOT_BYTES; i++)
        if (boot_id_read((uint16_t)(slot * BOOT_ID_SLOT_BYTES + i)) != 0xFF)
            return false;
    return true;
}

uint32_t boot_id_next(void)
{
    uint32_t newest = 0;
    uint8_t slot = 0;
    for (uint8_t i = 0; i < BOOT_ID_SLOTS; i++) {
        uint32_t id = id_in(i);
        if (id > newest) {
            newest = id;
            slot = (uint8_t)(i + 1) % BOOT_ID_SLOTS;
        }
    }
    uint32_t id = newest + 1;
    if (id_in(slot) == 0 && !is_blank(slot))
        id++; /* it held an id that was cut off while written, or that was told and has decayed since */
    if (id == 0)
        id = 1;
    uint8_t bytes[BOOT_ID_SLOT_BYTES];
    put32(bytes, id);
    put16(bytes + ID_BYTES, check_of(bytes));
    for (uint8_t i = 0; i < sizeof bytes; i++)
        boot_id_write((uint16_t)(slot * BOOT_ID_SLOT_BYTES + i), bytes[i]);
    return id;
}
