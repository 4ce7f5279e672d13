#include "frame.h"

uint16_t frame_crc16(uint16_t crc, uint8_t byte)
{
    /* The polynomial 0x1021 a byte at a time without a table. */
    crc = (uint16_t)((crc >> 8) | (crc << 8));
    crc ^= byte;
    crc ^= (crc & 0xFF) >> 4;
    crc = (uint16_t)(crc ^ (crc << 12));
    crc = (uint16_t)(crc ^ ((crc & 0xFF) << 5));
    return crc;
}

/* Decodes in place; returns the length of the body, 0 if this is no frame. */
static uint8_t decode(uint8_t *bytes, uint8_t length)
{
    uint8_t from = 0, to = 0;
    while (from < length) {
        uint8_t code = bytes[from++];
        if (code == 0 || code - 1 > length - from)
            return 0;
        for (uint8_t run = 1; run < code; run++)
            bytes[to++] = bytes[from++];
        if (from < length)
            bytes[to++] = 0;
    }
    if (to <= FRAME_CRC)
        return 0;
    uint16_t crc = 0xFFFF;
    for (uint8_t i = 0; i < to; i++)
        crc = frame_crc16(crc, bytes[i]);
    return crc == 0 ? (uint8_t)(to - FRAME_CRC) : 0;
}

uint8_t frame_take(struct frame_decoder *decoder, uint8_t byte)
{
    if (byte != 0) {
        if (decoder->length < FRAME_MAX_ENCODED)
            decoder->bytes[decoder->length++] = byte;
        else
            decoder->length = FRAME_MAX_ENCODED + 1;
        return 0;
    }
    uint8_t length = decoder->length, body = 0;
    decoder->length = 0;
    if (length == 0)
        return 0;
    if (length <= FRAME_MAX_ENCODED)
        body = decode(decoder->bytes, length);
    if (body == 0)
        decoder->damaged++;
    return body;
}

uint8_t frame_encode(const uint8_t *body, uint8_t length, uint8_t wire[FRAME_MAX_WIRE])
{
    uint16_t crc = 0xFFFF;
    uint8_t code_at = 0, to = 1;
    for (uint8_t i = 0; i < length + FRAME_CRC; i++) {
        uint8_t byte;
        if (i < length) {
            byte = body[i];
            crc = frame_crc16(crc, byte);
        } else {
            byte = (uint8_t)(i == length ? crc >> 8 : crc);
        }
        if (byte == 0) {
            wire[code_at] = (uint8_t)(to - code_at);
            code_at = to++;
        } else {
            wire[to++] = byte;
        }
    }
    wire[code_at] = (uint8_t)(to - code_at);
    wire[to++] = 0;
    return to;
}
