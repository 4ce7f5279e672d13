/* The panel on libsimavr: the real firmware on an ATmega328P, with models of what hangs on its pins.
 *
 * usage: simulated_board PANEL.elf [BOOTLOADER.hex]  commands on stdin say how far the board's time goes
 *        simulated_board --pty PANEL.elf [BOOTLOADER.hex]
 *                                            its UART is a pseudo-terminal, its time is the clock on the wall
 *
 * Commands, one a line:      rx HEX            bytes for the UART, at line rate
 *                            input US N V      button N closes (1) or opens (0) in US microseconds
 *                            run US            goes on for so long (not with --pty)
 *                            reset button      the reset button
 *                            reset brown-out   the supply was low, but the RAM kept what it held
 *                            reset power N     power was off: every byte of RAM and every register is N now
 *                            hang V            the program stops where it is, with interrupts on (1) or off (0)
 *                            resume            it goes on there
 *                            stop clock        the interrupt of timer 0 is switched off
 * Answers, US since start:   tx US HEX         a byte begins to leave the UART
 *                            input US N V      a button has moved
 *                            lamps US HEX      brightness, blue, green, red of each lamp, frame complete
 *                            lcd US RS HEX     a nibble written to the display
 *                            reset US          the processor was reset
 *                            start US          the program starts
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
#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_hex.h>

#include "simulated_parts.h"

enum { BYTE_CYCLES = HERTZ / 11520 };
enum { QUEUE = 1 << 16 };
enum { MCUSR = 0x54, TIMSK0 = 0x6E, RAM = 0x100 };

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

static void hang(bool interrupts)
{
    while (!avr->sreg[S_I]) /* not in the midst of an interrupt */
        avr_run(avr);
    avr->sreg[S_I] = interrupts;
    hung_at = avr->pc;
    memcpy(hung_code, avr->flash + hung_at, 2);
    memcpy(avr->flash + hung_at, "\xFF\xCF", 2);
    hung = true;
}

/* Resets. The simulator's begin with all flags of MCUSR clear; a real one adds its flag to those that are set. */

static void on_reset(uint8_t flags_before)
{
    avr->data[MCUSR] |= flags_before;
    /* It stops the simulator's timers and forgets what drives the pins. */
    avr_cycle_timer_register(avr, BYTE_CYCLES, pump, NULL);
    uart_full = false;
    parts_restart();
    printf("reset %llu\n", parts_us(avr));
}

/* A program can only clear flags, whatever it writes. */
static void on_mcusr_written(struct avr_t *which, avr_io_addr_t at, uint8_t value, void *param)
{
    (void)param;
    which->data[at] &= value;
}

static void reset(avr_regbit_t cause)
{
    uint8_t flags = avr->data[MCUSR];
    avr_reset(avr);
    avr_regbit_set(avr, cause);
    on_reset(flags);
}

static void reset_power(int content)
{
    memset(avr->data, content, 32);
    memset(avr->data + RAM, content, (size_t)(avr->ramend - RAM + 1));
    avr->data[MCUSR] = 0;
    reset(avr->reset_flags.porf);
}

static void resume(void)
{
    if (hung)
        memcpy(avr->flash + hung_at, hung_code, 2);
    hung = false;
}

static void on_start(void)
{
    resume();
    printf("start %llu\n", parts_us(avr));
}

/* A real watchdog in its mode of interrupt and reset resets at the second time-out if the interrupt could not run
 * until then; the simulator's would wait for the interrupt for ever. */
static void note_held_back_watchdog(void)
{
    static avr_watchdog_t *watchdog;
    for (avr_io_t *io = avr->io_port; watchdog == NULL; io = io->next)
        if (strcmp(io->kind, "watchdog") == 0)
            watchdog = (avr_watchdog_t *)io;
    if (watchdog->watchdog.pending && avr_regbit_get(avr, watchdog->wde))
        avr_regbit_clear(avr, watchdog->watchdog.enable);
}

static void go_on(unsigned long long us)
{
    avr_cycle_count_t until = avr->cycle + us * CYCLES_PER_US;
    while (avr->cycle < until) {
        if (avr->pc == 0)
            on_start();
        uint8_t flags = avr->data[MCUSR];
        avr_run_t run = avr->run;
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "the processor has stopped\n");
            exit(1);
        }
        if (avr->run != run && avr->pc == avr->reset_pc)
            on_reset(flags); /* by the watchdog, which for that had put itself in the way of the next instruction */
        parts_move_buttons(avr);
        if (!avr->sreg[S_I])
            note_held_back_watchdog();
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
    unsigned input, closed, content;
    if (strncmp(line, "rx ", 3) == 0) {
        receive_hex(line + 3);
    } else if (sscanf(line, "input %llu %u %u", &us, &input, &closed) == 3) {
        parts_plan_move(avr, us, input, closed != 0);
    } else if (sscanf(line, "run %llu", &us) == 1) {
        go_on(us);
        printf(". %llu\n", parts_us(avr));
        fflush(stdout);
    } else if (strncmp(line, "reset button", 12) == 0) {
        reset(avr->reset_flags.extrf);
    } else if (strncmp(line, "reset brown-out", 15) == 0) {
        reset(avr->reset_flags.borf);
    } else if (sscanf(line, "reset power %u", &content) == 1) {
        reset_power((int)content);
    } else if (sscanf(line, "hang %u", &closed) == 1) {
        hang(closed != 0);
    } else if (strncmp(line, "resume", 6) == 0) {
        resume();
    } else if (strncmp(line, "stop clock", 10) == 0) {
        avr->data[TIMSK0] = 0;
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

static bool load_bootloader(const char *path)
{
    ihex_chunk_p chunks = NULL;
    int count = read_ihex_chunks(path, &chunks);
    for (int i = 0; i < count; i++)
        if (chunks[i].baseaddr + chunks[i].size <= avr->flashend + 1)
            memcpy(avr->flash + chunks[i].baseaddr, chunks[i].data, chunks[i].size);
    if (count > 0)
        avr->reset_pc = chunks[0].baseaddr;
    return count > 0;
}

int main(int argc, char **argv)
{
    elf_firmware_t firmware = {0};
    bool in_real_time = argc > 1 && strcmp(argv[1], "--pty") == 0;
    argv += in_real_time;
    argc -= in_real_time;
    if (argc < 2 || elf_read_firmware(argv[1], &firmware) != 0) {
        fprintf(stderr, "usage: simulated_board [--pty] PANEL.elf [BOOTLOADER.hex]\n");
        return 2;
    }
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    firmware.frequency = HERTZ;
    avr_load_firmware(avr, &firmware);
    avr->frequency = HERTZ;
    avr->log = LOG_ERROR;
    if (argc > 2 && !load_bootloader(argv[2])) {
        fprintf(stderr, "no bootloader in %s\n", argv[2]);
        return 2;
    }
    wire_up();
    avr_register_io_write(avr, MCUSR, on_mcusr_written, NULL);
    reset_power(0);
    if (in_real_time) {
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
