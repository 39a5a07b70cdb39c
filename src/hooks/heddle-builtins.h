/*
 * heddle-builtins.h: included before everything else that gcc compiles with memory instrumentation. gcc
 * expands copies and comparisons of a few bytes in place, behind the back of its own instrumentation, when
 * they are asked for as __builtin_ functions (glibc's _FORTIFY_SOURCE and libstdc++ do); here they become
 * calls of the C library.
 */
#undef _FORTIFY_SOURCE
#if !defined(__ASSEMBLER__) && !defined(HEDDLE_BUILTINS_H)
#define HEDDLE_BUILTINS_H
#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#define HEDDLE_CALL(name, ...) \
	(__builtin_is_constant_evaluated() ? __builtin_##name(__VA_ARGS__) : __heddle_##name(__VA_ARGS__))
#else
#define HEDDLE_CALL(name, ...) __heddle_##name(__VA_ARGS__)
#endif

/* Other names for the same functions: as memcpy they would be built in again. */
void *__heddle_memcpy(void *, const void *, __SIZE_TYPE__) __asm__("memcpy");
void *__heddle_memmove(void *, const void *, __SIZE_TYPE__) __asm__("memmove");
void *__heddle_memset(void *, int, __SIZE_TYPE__) __asm__("memset");
int __heddle_memcmp(const void *, const void *, __SIZE_TYPE__) __asm__("memcmp");

#define __builtin_memcpy(...) HEDDLE_CALL(memcpy, __VA_ARGS__)
#define __builtin_memmove(...) HEDDLE_CALL(memmove, __VA_ARGS__)
#define __builtin_memset(...) HEDDLE_CALL(memset, __VA_ARGS__)
#define __builtin_memcmp(...) HEDDLE_CALL(memcmp, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
