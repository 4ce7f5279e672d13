/* The panel's firmware: buttons up, lamps and text down, over panel link v1. It never waits but for its EEPROM. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <string.h>

#include "apa102.h"
#include "boot.h"
#include "boot_id.h"
#include "buttons.h"
#include "bytes.h"
#include "clock.h"
#include "debounce.h"
#include "lamps.h"
#include "lcd.h"
#include "panel.h"
#include "screen.h"
#include "session.h"
#include "uart.h"

/* A lamp that lost its colour to noise gets it back within a second. */
enum { ANIMATE_MS = 16, REFRESH_MS = 1000 };

static struct session session;
static struct debounce debounce;
static struct screen screen;
static struct lamp lamps[PANEL_LAMPS];
static struct rgb shown[PANEL_LAMPS];
static bool lamps_changed;

void panel_host(enum host_news news)
{
    static const char *const said[] = {
        [HOST_FOUND] = "", [HOST_LOST] = "host lost", [HOST_REFUSED] = "wrong host version"};
    if (news != HOST_LEFT)
        screen_announce(&screen, said[news]);
    if (news != HOST_FOUND)
        memset(lamps, 0, sizeof lamps);
    lamps_changed = true;
}

void panel_lamps(const struct lamp wanted[PANEL_LAMPS])
{
    memcpy(lamps, wanted, sizeof lamps);
    lamps_changed = true;
}

void panel_line(uint8_t line, const char text[TEXT_COLUMNS])
{
    screen_set_line(&screen, line, text);
}

static void watch_buttons(uint32_t now_ms)
{
    uint32_t changed = debounce_sample(&debounce, buttons_sample());
    for (uint8_t input = 0; changed != 0; input++, changed >>= 1)
        if (changed & 1)
            session_input(&session, input, (debounce.stable >> input) & 1, now_ms);
}

static void show_lamps(uint32_t now_ms)
{
    static uint32_t animate_at, refresh_at;
    if (!lamps_changed && !is_due(animate_at, now_ms))
        return;
    lamps_changed = false;
    animate_at = now_ms + ANIMATE_MS;
    struct rgb next[PANEL_LAMPS];
    lamps_render(lamps, now_ms, next);
    if (memcmp(next, shown, sizeof shown) == 0 && !is_due(refresh_at, now_ms))
        return;
    refresh_at = now_ms + REFRESH_MS;
    memcpy(shown, next, sizeof shown);
    apa102_show(shown);
}

static void show_text(uint32_t now_ms)
{
    struct screen_byte next;
    if (lcd_ready() && screen_next(&screen, &next, now_ms))
        lcd_write(&next);
}

static void exchange(uint32_t now_ms)
{
    uint8_t byte, wire[SESSION_MAX_WIRE];
    while (uart_read(&byte))
        session_receive(&session, byte, now_ms);
    session.dropped_bytes = uart_dropped();
    while (uart_room() >= sizeof wire) {
        uint8_t length = session_next(&session, wire, now_ms);
        if (length == 0)
            break;
        uart_write(wire, length);
    }
}

uint8_t boot_id_read(uint16_t at)
{
    return eeprom_read_byte((const uint8_t *)at);
}

void boot_id_write(uint16_t at, uint8_t byte)
{
    eeprom_update_byte((uint8_t *)at, byte);
}

int main(void)
{
    boot_start();
    clock_start();
    buttons_start();
    apa102_start();
    lcd_start();
    uart_start();
    sei();
    uint32_t counted_ms = clock_ms();
    screen_start(&screen, counted_ms);
    screen_announce(&screen, "no host yet");
    lamps_changed = true;
    session_start(&session, boot_id_next(), boot_reset_cause(), counted_ms);
    for (;;) {
        sei(); /* without it, one stray instruction could stop clock and link, and the watchdog's interrupt too */
        uint32_t now_ms = clock_ms();
        exchange(now_ms);
        if (now_ms != counted_ms) {
            counted_ms = now_ms;
            boot_feed_watchdog(); /* only while the clock counts */
            watch_buttons(now_ms);
        }
        show_lamps(now_ms);
        show_text(now_ms);
    }
}
