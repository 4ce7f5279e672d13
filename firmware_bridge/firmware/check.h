/* The message check: CRC-32 (IEEE 802.3) over type and payload, started from the session key. Plain C. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>

enum { CHECK_BYTES = 4, CHECK_HELLO_KEY = 0 };

/* CRC-32 of the bytes, continued from the CRC of those before them; start with 0. */
uint32_t check_crc32(uint32_t crc, const uint8_t *bytes, uint8_t length);

uint32_t check_session_key(uint32_t host_boot_id, uint32_t board_boot_id, uint8_t version);

/* Whether the last four of the length bytes are the check of those before them. */
bool check_fits(const uint8_t *body, uint8_t length, uint32_t key);

/* Writes the check after the first plain bytes of body. */
void check_append(uint8_t *body, uint8_t plain, uint32_t key);

#endif
