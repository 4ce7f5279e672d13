#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

/* Powers of two, so that indices of eight bits go round by themselves. */
enum { RECEIVE = 128, SEND = 128, BAUD_DIVISOR = (F_CPU / 4 / 115200 - 1) / 2 };

static volatile uint8_t received[RECEIVE], to_send[SEND];
static volatile uint8_t receive_in, receive_out, send_in, send_out;
static volatile uint16_t dropped;

ISR(USART_RX_vect)
{
    bool overrun = UCSR0A & (1 << DOR0);
    uint8_t byte = UDR0;
    if (overrun)
        dropped++;
    if ((uint8_t)(receive_in - receive_out) == RECEIVE) {
        dropped++;
        return;
    }
    received[receive_in % RECEIVE] = byte;
    receive_in++;
}

ISR(USART_UDRE_vect)
{
    UDR0 = to_send[send_out % SEND];
    send_out++;
    if (send_in == send_out)
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
}

void uart_start(void)
{
    /* At double speed the divisor for 16 MHz is 16: 117647 baud, 2.1 % fast, within what 8N1 bears. */
    UCSR0A = 1 << U2X0;
    UBRR0 = BAUD_DIVISOR;
    UCSR0C = (1 << UCSZ01) | (1 << UCSZ00);
    UCSR0B = (1 << RXEN0) | (1 << TXEN0) | (1 << RXCIE0);
}

bool uart_read(uint8_t *byte)
{
    if (receive_in == receive_out)
        return false;
    *byte = received[receive_out % RECEIVE];
    receive_out++;
    return true;
}

uint8_t uart_room(void)
{
    return (uint8_t)(SEND - (uint8_t)(send_in - send_out));
}

void uart_write(const uint8_t *bytes, uint8_t length)
{
    for (uint8_t i = 0; i < length; i++) {
        to_send[send_in % SEND] = bytes[i];
        send_in++;
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        UCSR0B |= 1 << UDRIE0;
    }
}

uint16_t uart_dropped(void)
{
    uint16_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        count = dropped;
    }
    return count;
}
