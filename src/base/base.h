/*
 * base.h: the words every other module uses. Freestanding: it compiles into the
 * injected runtime (no libc) as well as into the controller and the unit tests.
 */
#ifndef HEDDLE_BASE_H
#define HEDDLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define HD_PAGE 4096u
#define HD_PAGE_MASK ((u64)HD_PAGE - 1)

#define HD_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define HD_MIN(a, b) ((a) < (b) ? (a) : (b))
#define HD_MAX(a, b) ((a) > (b) ? (a) : (b))
#define HD_ROUND_UP(x, to) (((x) + (to)-1) / (to) * (to))

#define hd_likely(x) __builtin_expect(!!(x), 1)
#define hd_unlikely(x) __builtin_expect(!!(x), 0)

#define HD_EXPORT __attribute__((visibility("default")))
/* A function that uses no stack, not even for a call: it need not start on zeroes
   (runtime/kstack/kstack.h, K2). */
#define HD_LEAF __attribute__((no_instrument_function))
/* In a function with a large frame that calls nobody: tells __fentry__ how deep it is (there, K2). */
#ifdef HEDDLE_KERNEL_STACKS
void kstack_wide_frame(void);
#define HD_WIDE_FRAME() kstack_wide_frame()
#else
#define HD_WIDE_FRAME() ((void)0)
#endif
#define HD_NOINLINE __attribute__((noinline))
#define HD_NORETURN __attribute__((noreturn))
#define HD_PRINTF(f, a) __attribute__((format(printf, f, a)))

/*
 * Asserts stay on in release. hd_panic ends the whole run with a tool error
 * (exit 2), never with a verdict: the runtime and the hosted programs each
 * define their own.
 */
HD_NORETURN void hd_panic(const char *file, int line, const char *what);
#define hd_assert(cond) (hd_likely(cond) ? (void)0 : hd_panic(__FILE__, __LINE__, #cond))

#endif
