/* Big-endian numbers in byte arrays, and times that go round. */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stdint.h>

static inline void put16(uint8_t *to, uint16_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static inline void put32(uint8_t *to, uint32_t value)
{
    put16(to, (uint16_t)(value >> 16));
    put16(to + 2, (uint16_t)value);
}

static inline uint16_t get16(const uint8_t *from)
{
    return (uint16_t)((from[0] << 8) | from[1]);
}

static inline uint32_t get32(const uint8_t *from)
{
    return ((uint32_t)get16(from) << 16) | get16(from + 2);
}

/* Whether a time in milliseconds has come; right for times up to 24 days apart. */
static inline bool is_due(uint32_t at_ms, uint32_t now_ms)
{
    return (int32_t)(now_ms - at_ms) >= 0;
}

#endif
