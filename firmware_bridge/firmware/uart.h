/* The serial link at 115200 baud 8N1, with interrupts and a ring each way. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

void uart_start(void);

/* Takes a received byte; false if there is none. */
bool uart_read(uint8_t *byte);

/* Room for bytes to send. */
uint8_t uart_room(void);

/* Sends bytes, for which there must be room. */
void uart_write(const uint8_t *bytes, uint8_t length);

/* Received bytes that were dropped since the reset, modulo 65536. */
uint16_t uart_dropped(void);

#endif
