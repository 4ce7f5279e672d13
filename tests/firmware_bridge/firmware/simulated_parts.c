#include "simulated_parts.h"

#include <stdio.h>

#include <simavr/avr_ioport.h>

enum { INPUTS = 32, LAMPS = 9, MOVES = 4096 };

static avr_t *board;
static avr_irq_t *buttons_out;

unsigned long long parts_us(const avr_t *avr)
{
    return avr->cycle / CYCLES_PER_US;
}

/* Buttons: 74HC165 in a chain, read low while pressed */

static uint32_t pressed, shifting;
static bool load_low;
static struct move {
    avr_cycle_count_t at;
    uint8_t input;
    bool closed;
} moves[MOVES];
static unsigned move_count;

static void drive_buttons(void)
{
    avr_raise_irq(buttons_out, !(shifting & 1));
}

static void on_load(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    load_low = !value;
    shifting = pressed;
    drive_buttons();
}

static void on_button_clock(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)param;
    if (value && !irq->value && !load_low) {
        shifting >>= 1;
        drive_buttons();
    }
}

void parts_move_buttons(avr_t *avr)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < move_count; i++) {
        if (moves[i].at > avr->cycle) {
            moves[kept++] = moves[i];
            continue;
        }
        uint32_t bit = (uint32_t)1 << moves[i].input;
        pressed = moves[i].closed ? pressed | bit : pressed & ~bit;
        printf("input %llu %u %u\n", parts_us(board), moves[i].input, moves[i].closed);
    }
    move_count = kept;
}

void parts_plan_move(avr_t *avr, unsigned long long in_us, unsigned input, bool closed)
{
    if (input < INPUTS && move_count < MOVES)
        moves[move_count++] = (struct move){avr->cycle + in_us * CYCLES_PER_US, (uint8_t)input, closed};
    else
        fprintf(stderr, "no such button, or too many moves\n");
}

/* Lamps: APA102 in a chain */

static uint32_t lamp_data, lamp_bits;
static int lamp_bit_count = -1; /* -1: waits for the 32 zeros that open a frame */
static uint32_t lamp_words[LAMPS];

static void on_lamp_data(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    lamp_data = value;
}

static void on_lamp_clock(struct avr_irq_t *irq, uint32_t value, void *param)
{
    static unsigned zeros;
    (void)param;
    if (!value || irq->value)
        return;
    lamp_bits = lamp_bits << 1 | lamp_data;
    zeros = lamp_data ? 0 : zeros + 1;
    if (lamp_bit_count < 0) {
        if (zeros >= 32 && !lamp_data)
            lamp_bit_count = 0;
        return;
    }
    if (lamp_bit_count == 0 && !lamp_data)
        return; /* every lamp's word begins with a one: these are more zeros */
    if (++lamp_bit_count % 32 != 0)
        return;
    lamp_words[lamp_bit_count / 32 - 1] = lamp_bits;
    if (lamp_bit_count / 32 == LAMPS) {
        printf("lamps %llu ", parts_us(board));
        for (int i = 0; i < LAMPS; i++)
            printf("%08x", lamp_words[i] & 0x1FFFFFFF);
        putchar('\n');
        lamp_bit_count = -1;
        zeros = 0;
    }
}

/* Display: the upper four lines of an HD44780's bus */

static uint32_t lcd_rs, lcd_data[4];

static void on_lcd_rs(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    lcd_rs = value;
}

static void on_lcd_data(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    *(uint32_t *)param = value;
}

static void on_lcd_enable(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)param;
    if (value || !irq->value)
        return; /* it reads at the falling edge */
    unsigned nibble = lcd_data[3] << 3 | lcd_data[2] << 2 | lcd_data[1] << 1 | lcd_data[0];
    printf("lcd %llu %u %x\n", parts_us(board), lcd_rs, nibble);
}

static void watch_pin(char port, int bit, avr_irq_notify_t notify, void *param)
{
    avr_irq_register_notify(avr_io_getirq(board, AVR_IOCTL_IOPORT_GETIRQ(port), bit), notify, param);
}

void parts_wire_up(avr_t *avr)
{
    board = avr;
    /* As in firmware_bridge/firmware/pins.h. */
    watch_pin('D', 2, on_load, NULL);
    watch_pin('D', 3, on_button_clock, NULL);
    buttons_out = avr_io_getirq(board, AVR_IOCTL_IOPORT_GETIRQ('D'), 4);
    watch_pin('D', 5, on_lamp_data, NULL);
    watch_pin('D', 6, on_lamp_clock, NULL);
    watch_pin('B', 0, on_lcd_rs, NULL);
    watch_pin('B', 1, on_lcd_enable, NULL);
    for (int bit = 0; bit < 4; bit++)
        watch_pin('C', bit, on_lcd_data, &lcd_data[bit]);
}

void parts_restart(void)
{
    drive_buttons();
}
