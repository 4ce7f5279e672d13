/* The panel on libsimavr: the real firmware on an ATmega328P, with models of what hangs on its pins.
 *
 * usage: simulated_board PANEL.elf          commands on stdin say how far the board's time goes
 *        simulated_board PANEL.elf --pty    its UART is a pseudo-terminal, its time is the clock on the wall
 *
 * Commands, one a line:      rx HEX            bytes for the UART, at line rate
 *                            input US N V      button N closes (1) or opens (0) in US microseconds
 *                            run US            goes on for so long (not with --pty)
 *                            reset             the reset button
 *                            hang              the program stops where it is, with interrupts on
 * Answers, US since start:   tx US HEX         a byte begins to leave the UART
 *                            input US N V      a button has moved
 *                            lamps US HEX      brightness, blue, green, red of each lamp, frame complete
 *                            lcd US RS HEX     a byte written to the display (a nibble while its bus is 8 bits)
 *                            reset US          the program starts
 *                            pty PATH          with --pty, first of all
 *                            . US              a run is done
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#include "simulated_parts.h"

enum { BYTE_CYCLES = HERTZ / 11520 };
enum { QUEUE = 1 << 16 };

static avr_t *avr;
static avr_irq_t *uart_in;
static int pty_end = -1;
static uint8_t queue[QUEUE];
static unsigned queue_in, queue_out;
static bool uart_full;

/* UART */

static void on_sent(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    uint8_t byte = (uint8_t)value;
    if (pty_end >= 0) {
        if (write(pty_end, &byte, 1) != 1)
            fprintf(stderr, "the pseudo-terminal is full\n");
    } else {
        printf("tx %llu %02x\n", parts_us(avr), byte);
    }
}

/* libsimavr counts a received byte's time from when the program read the one before, so it is a little slower
 * than the line and its own buffer can fill; param is whether it has. */
static void on_full(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)value;
    uart_full = param != NULL;
}

static avr_cycle_count_t pump(avr_t *which, avr_cycle_count_t when, void *param)
{
    (void)which, (void)param;
    if (queue_in != queue_out && !uart_full)
        avr_raise_irq(uart_in, queue[queue_out++ % QUEUE]);
    return when + BYTE_CYCLES;
}

/* The program hangs on a jump to itself until the reset. */

static uint8_t hung_code[2];
static avr_flashaddr_t hung_at;
static bool hung;

static void hang(void)
{
    hung_at = avr->pc;
    memcpy(hung_code, avr->flash + hung_at, 2);
    memcpy(avr->flash + hung_at, "\xFF\xCF", 2);
    hung = true;
}

static void on_start(void)
{
    if (hung)
        memcpy(avr->flash + hung_at, hung_code, 2);
    hung = false;
    /* A reset of the processor stops the simulator's timers and forgets what drives the pins. */
    avr_cycle_timer_register(avr, BYTE_CYCLES, pump, NULL);
    uart_full = false;
    parts_restart();
    printf("reset %llu\n", parts_us(avr));
}

static void go_on(unsigned long long us)
{
    avr_cycle_count_t until = avr->cycle + us * CYCLES_PER_US;
    while (avr->cycle < until) {
        if (avr->pc == 0)
            on_start();
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "the processor has stopped\n");
            exit(1);
        }
        parts_move_buttons(avr);
    }
}

static void receive_hex(const char *hex)
{
    unsigned byte;
    while (sscanf(hex, "%2x", &byte) == 1) {
        queue[queue_in++ % QUEUE] = (uint8_t)byte;
        hex += 2;
    }
}

static void obey(const char *line)
{
    unsigned long long us;
    unsigned input, closed;
    if (strncmp(line, "rx ", 3) == 0) {
        receive_hex(line + 3);
    } else if (sscanf(line, "input %llu %u %u", &us, &input, &closed) == 3) {
        parts_plan_move(avr, us, input, closed != 0);
    } else if (sscanf(line, "run %llu", &us) == 1) {
        go_on(us);
        printf(". %llu\n", parts_us(avr));
        fflush(stdout);
    } else if (strncmp(line, "reset", 5) == 0) {
        avr_reset(avr);
    } else if (strncmp(line, "hang", 4) == 0) {
        hang();
    } else {
        fprintf(stderr, "not understood: %s", line);
        exit(2);
    }
}

static void run_in_real_time(void)
{
    int other_end;
    char path[64], commands[1024];
    struct termios raw;
    openpty(&pty_end, &other_end, path, NULL, NULL);
    tcgetattr(other_end, &raw);
    cfmakeraw(&raw);
    tcsetattr(other_end, TCSANOW, &raw);
    close(other_end);
    fcntl(pty_end, F_SETFL, O_NONBLOCK);
    fcntl(0, F_SETFL, O_NONBLOCK);
    printf("pty %s\n", path);
    struct timespec started, now;
    clock_gettime(CLOCK_MONOTONIC, &started);
    for (;;) {
        uint8_t bytes[256];
        ssize_t count = read(pty_end, bytes, sizeof bytes);
        for (ssize_t i = 0; i < count; i++)
            queue[queue_in++ % QUEUE] = bytes[i];
        count = read(0, commands, sizeof commands - 1);
        if (count == 0)
            return;
        if (count > 0) {
            commands[count] = '\0';
            for (char *line = strtok(commands, "\n"); line != NULL; line = strtok(NULL, "\n"))
                obey(line);
        }
        go_on(200);
        fflush(stdout);
        clock_gettime(CLOCK_MONOTONIC, &now);
        long long wall_us = (now.tv_sec - started.tv_sec) * 1000000LL + (now.tv_nsec - started.tv_nsec) / 1000;
        long long ahead_us = (long long)parts_us(avr) - wall_us;
        if (ahead_us > 0)
            usleep((useconds_t)ahead_us);
    }
}

static void wire_up(void)
{
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_sent, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), on_full, avr);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), on_full, NULL);
    parts_wire_up(avr);
}

int main(int argc, char **argv)
{
    elf_firmware_t firmware = {0};
    if (argc < 2 || elf_read_firmware(argv[1], &firmware) != 0) {
        fprintf(stderr, "usage: simulated_board PANEL.elf [--pty]\n");
        return 2;
    }
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    firmware.frequency = HERTZ;
    avr_load_firmware(avr, &firmware);
    avr->frequency = HERTZ;
    avr->log = LOG_ERROR;
    wire_up();
    if (argc > 2) {
        run_in_real_time();
        return 0;
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0)
        obey(line);
    free(line);
    return 0;
}
