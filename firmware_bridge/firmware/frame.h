/* Frames on the wire: COBS around body and CRC-16, ended by 0x00 (docs/panel-link.md). Plain C, no hardware. */
#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

enum {
    FRAME_MAX_DECODED = 64,
    FRAME_CRC = 2,
    FRAME_MAX_BODY = FRAME_MAX_DECODED - FRAME_CRC,
    FRAME_MAX_ENCODED = FRAME_MAX_DECODED + 1,
    FRAME_MAX_WIRE = FRAME_MAX_ENCODED + 1,
};

/* Collects one frame; start it zeroed. */
struct frame_decoder {
    uint8_t bytes[FRAME_MAX_ENCODED];
    uint8_t length; /* FRAME_MAX_ENCODED + 1: too long, dropped until the next delimiter */
    uint16_t damaged; /* what lay between two delimiters and was no frame, modulo 65536 */
};

/* Takes one byte of the line. Returns the length of the body it completes, which then lies at bytes, else 0. */
uint8_t frame_take(struct frame_decoder *decoder, uint8_t byte);

/* Writes the frame of a body of 1 to FRAME_MAX_BODY bytes, delimiter included, and returns its length. */
uint8_t frame_encode(const uint8_t *body, uint8_t length, uint8_t wire[FRAME_MAX_WIRE]);

/* CRC-16/IBM-3740, continued from crc; start with 0xFFFF. */
uint16_t frame_crc16(uint16_t crc, uint8_t byte);

#endif
