#include "check.h"

#include "bytes.h"

uint32_t check_crc32(uint32_t crc, const uint8_t *bytes, uint8_t length)
{
    /* The reflected polynomial 0xEDB88320, four bits at a time. */
    static const uint32_t table[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
    };
    crc = ~crc;
    for (uint8_t i = 0; i < length; i++) {
        crc = table[(crc ^ bytes[i]) & 0x0F] ^ (crc >> 4);
        crc = table[(crc ^ (bytes[i] >> 4)) & 0x0F] ^ (crc >> 4);
    }
    return ~crc;
}

uint32_t check_session_key(uint32_t host_boot_id, uint32_t board_boot_id, uint8_t version)
{
    uint8_t bytes[9];
    put32(bytes, host_boot_id);
    put32(bytes + 4, board_boot_id);
    bytes[8] = version;
    return check_crc32(0, bytes, sizeof bytes);
}

bool check_fits(const uint8_t *body, uint8_t length, uint32_t key)
{
    if (length <= CHECK_BYTES)
        return false;
    return check_crc32(key, body, (uint8_t)(length - CHECK_BYTES)) == get32(body + length - CHECK_BYTES);
}

void check_append(uint8_t *body, uint8_t plain, uint32_t key)
{
    put32(body + plain, check_crc32(key, body, plain));
}
