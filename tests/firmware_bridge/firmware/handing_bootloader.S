; A stand-in for Optiboot from version 7 on, of which no package holds a binary: what it does with the reset flags.
; After the reset button it waits a second for a programmer and ends that by a watchdog reset. After every other
; reset it goes to the program at once: the flags in r2, and in MCUSR those that it need not clear.
#include <avr/io.h>

start:
    in r24, _SFR_IO_ADDR(MCUSR)
    mov r25, r24
    andi r25, (1 << WDRF) | (1 << EXTRF)
    cpi r25, 1 << EXTRF
    breq wait
    sbrs r24, EXTRF
    rjmp go
    ldi r25, 0xFF & ~(1 << WDRF)
    out _SFR_IO_ADDR(MCUSR), r25
go:
    mov r2, r24
    ldi r25, (1 << WDCE) | (1 << WDE)
    sts WDTCSR, r25
    ldi r25, 0
    sts WDTCSR, r25
    jmp 0
wait:
    ldi r25, (1 << WDCE) | (1 << WDE)
    sts WDTCSR, r25
    ldi r25, (1 << WDE) | (1 << WDP2) | (1 << WDP1)
    sts WDTCSR, r25
stay:
    rjmp stay
