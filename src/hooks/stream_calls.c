/*
 * stream_calls.c: C++'s streams of characters, as libstdc++ has them. What inserts into a stream or extracts
 * from it writes the stream (its width, its state) and the pointers of its buffer, and threads that share
 * either must take turns. The standard streams are not told while they are synchronized with stdio: the
 * language lets all threads use those at once.
 *
 * Nothing here is weak: if a program calls one of these functions, the library has them all.
 */
#include "hooks/tell.h"

#define STREAM(type, name, parameters, arguments, told) \
	type __real_##name parameters; \
	HOOK_WEAK type __wrap_##name parameters; \
	HOOK_WEAK type __wrap_##name parameters \
	{ \
		tell_stream(self, HERE); \
		told return __real_##name arguments; \
	}
/* The same, and then what was extracted. */
#define STREAM_THEN(type, name, parameters, arguments, told, written) \
	type __real_##name parameters; \
	HOOK_WEAK type __wrap_##name parameters; \
	HOOK_WEAK type __wrap_##name parameters \
	{ \
		type got; \
\
		tell_stream(self, HERE); \
		told got = __real_##name arguments; \
		written return got; \
	}
#define IN(object, bytes) tell_range(object, bytes, HOW_READ, HERE);
#define OUT(object, bytes) tell_range(object, bytes, HOW_WRITE, HERE);

/* libstdc++'s objects. */
enum {
	IOS_OFFSET = -24, /* in a stream's table: where its basic_ios is, relative to it */
	SIZEOF_TABLE = 8, /* every object begins with its address */
	IOS_TIE = 216,
	IOS_BUFFER = 232,
	SIZEOF_IOS = 264,
	BUFFER_GET = 16,     /* of a basic_streambuf: where the next character is taken from, … */
	BUFFER_GET_END = 24, /* … and where there are no more */
	BUFFER_PUT = 40,     /* the same for the next one that is written */
	BUFFER_PUT_END = 48,
	SIZEOF_POINTERS = 48, /* all of them */
	TABLE_FUNCTIONS = 16, /* where objects point to in a table */
	SIZEOF_STRING = 16,   /* without the characters that lie inside */
	STRING_LENGTH = 8,
};

extern const char _ZSt4cout[], _ZSt4cerr[], _ZSt4clog[], _ZSt3cin[];
extern const char _ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE[];
extern const char _ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE[];
extern const char _ZTVSt13basic_filebufIcSt11char_traitsIcEE[];

HELPER const char *word_at(const char *object, int offset)
{
	return *(const char *const *)(object + offset);
}

HELPER const char *ios_of(const char *stream)
{
	return stream + (long)word_at(word_at(stream, 0), IOS_OFFSET);
}

HELPER int is_stdio(const char *buffer)
{
	return buffer && word_at(buffer, 0) ==
				 _ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE + TABLE_FUNCTIONS;
}

HELPER int is_the_library_s(const char *buffer)
{
	const char *table = word_at(buffer, 0) - TABLE_FUNCTIONS;

	return table == _ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE ||
	       table == _ZTVSt13basic_filebufIcSt11char_traitsIcEE;
}

/* Not one of them with a buffer of its own, nor behind sync_with_stdio(false). */
HELPER int is_synchronized(const char *stream)
{
	return (stream == _ZSt4cout || stream == _ZSt4cerr || stream == _ZSt4clog || stream == _ZSt3cin) &&
	       is_stdio(word_at(ios_of(stream), IOS_BUFFER));
}

/*
 * What the functions of a class of the program do is told by themselves, unless the class is derived from one
 * of the library's that does the work.
 */
HELPER void tell_own_buffer(const char *buffer, const void *pc)
{
	tell_range(buffer + SIZEOF_TABLE, SIZEOF_POINTERS, HOW_READ, pc);
	if (word_at(buffer, BUFFER_GET) < word_at(buffer, BUFFER_GET_END))
		tell_range(buffer + BUFFER_GET, sizeof(char *), HOW_WRITE, pc);
	if (word_at(buffer, BUFFER_PUT) < word_at(buffer, BUFFER_PUT_END))
		tell_range(buffer + BUFFER_PUT, sizeof(char *), HOW_WRITE, pc);
	if (heddle_rt_unseen)
		heddle_rt_unseen("a stream buffer of the program's own class", pc, 0);
}

HELPER void tell_one(const char *stream, const void *pc)
{
	const char *ios, *buffer;

	if (is_synchronized(stream))
		return;
	tell_range(stream, SIZEOF_TABLE, HOW_READ, pc);
	ios = ios_of(stream);
	tell_range(ios + SIZEOF_TABLE, SIZEOF_IOS - SIZEOF_TABLE, HOW_WRITE, pc);
	buffer = word_at(ios, IOS_BUFFER);
	if (!buffer || is_stdio(buffer))
		return;
	if (is_the_library_s(buffer))
		tell_range(buffer + SIZEOF_TABLE, SIZEOF_POINTERS, HOW_WRITE, pc);
	else
		tell_own_buffer(buffer, pc);
}

/* A stream flushes first the one that it is tied to. */
HELPER void tell_stream(const void *self, const void *pc)
{
	const char *tied;

	if (!heddle_rt_access)
		return;
	tell_one(self, pc);
	tied = word_at(ios_of(self), IOS_TIE);
	if (tied && tied != self)
		tell_one(tied, pc);
}

HELPER usize length_of(const void *string)
{
	return *(const usize *)((const char *)string + STRING_LENGTH);
}

/* ---- into streams ---- */

#define PUTS(name, type) STREAM(void *, name, (void *self, type value), (self, value), )
PUTS(_ZNSolsEb, _Bool)
PUTS(_ZNSolsEs, short)
PUTS(_ZNSolsEt, u16)
PUTS(_ZNSolsEi, int)
PUTS(_ZNSolsEj, u32)
PUTS(_ZNSolsEl, long)
PUTS(_ZNSolsEm, u64)
PUTS(_ZNSolsEx, long)
PUTS(_ZNSolsEy, u64)
PUTS(_ZNSolsEf, float)
PUTS(_ZNSolsEd, double)
PUTS(_ZNSolsEe, long double)
PUTS(_ZNSolsEPKv, const void *)
PUTS(_ZNSo9_M_insertIbEERSoT_, _Bool)
PUTS(_ZNSo9_M_insertIlEERSoT_, long)
PUTS(_ZNSo9_M_insertImEERSoT_, u64)
PUTS(_ZNSo9_M_insertIxEERSoT_, long)
PUTS(_ZNSo9_M_insertIyEERSoT_, u64)
PUTS(_ZNSo9_M_insertIdEERSoT_, double)
PUTS(_ZNSo9_M_insertIeEERSoT_, long double)
PUTS(_ZNSo9_M_insertIPKvEERSoT_, const void *)
PUTS(_ZNSo3putEc, char)
PUTS(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char)
PUTS(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a, signed char)
PUTS(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h, u8)

#define PUTS_TEXT(name) STREAM(void *, name, (void *self, const char *s), (self, s), tell_text(s, HERE);)
PUTS_TEXT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc)
PUTS_TEXT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKa)
PUTS_TEXT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKh)

#define PUTS_BYTES(name) STREAM(void *, name, (void *self, const char *s, usize n), (self, s, n), IN(s, n))
PUTS_BYTES(_ZNSo5writeEPKcl)
PUTS_BYTES(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l)

STREAM(void *,
       _ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE,
       (void *self, const char *string), (self, string),
       IN(string, SIZEOF_STRING) IN(word_at(string, 0), length_of(string)))

#define ALONE(name) STREAM(void *, name, (void *self), (self), )
ALONE(_ZNSo5flushEv)
ALONE(_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)
ALONE(_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)
ALONE(_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)

/* Positions are two words; a result of two words comes back in registers. */
struct position {
	long at;
	u64 shift;
};
#define SEEKS(name) \
	STREAM(void *, name##ElSt12_Ios_Seekdir, (void *self, long at, int from), (self, at, from), ) \
	STREAM(void *, name##ESt4fposI11__mbstate_tE, (void *self, struct position at), (self, at), )
SEEKS(_ZNSo5seekp)
SEEKS(_ZNSi5seekg)
STREAM(struct position, _ZNSo5tellpEv, (void *self), (self), )
STREAM(struct position, _ZNSi5tellgEv, (void *self), (self), )
STREAM(void, _ZNSo8_M_writeEPKcl, (void *self, const char *s, usize n), (self, s, n), IN(s, n))

/* What begins each insertion and extraction of the program's own. */
#define SENTRY(name, parameters, arguments) STREAM(void, name, parameters, arguments, )
SENTRY(_ZNSo6sentryC1ERSo, (void *sentry, void *self), (sentry, self))
SENTRY(_ZNSo6sentryC2ERSo, (void *sentry, void *self), (sentry, self))
SENTRY(_ZNSi6sentryC1ERSib, (void *sentry, void *self, _Bool keep), (sentry, self, keep))
SENTRY(_ZNSi6sentryC2ERSib, (void *sentry, void *self, _Bool keep), (sentry, self, keep))

/* Manipulators, where the compiler does not do them in place. */
PUTS(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw, int)
PUTS(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision, int)
PUTS(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, char)
PUTS(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_Setbase, int)

/* ---- out of streams ---- */

#define GETS(name, type) \
	STREAM(void *, name, (void *self, type *value), (self, value), OUT(value, sizeof(*value)))
GETS(_ZNSirsERb, _Bool)
GETS(_ZNSirsERs, short)
GETS(_ZNSirsERt, u16)
GETS(_ZNSirsERi, int)
GETS(_ZNSirsERj, u32)
GETS(_ZNSirsERl, long)
GETS(_ZNSirsERm, u64)
GETS(_ZNSirsERx, long)
GETS(_ZNSirsERy, u64)
GETS(_ZNSirsERf, float)
GETS(_ZNSirsERd, double)
GETS(_ZNSirsERe, long double)
GETS(_ZNSirsERPv, void *)
GETS(_ZNSi10_M_extractIbEERSiRT_, _Bool)
GETS(_ZNSi10_M_extractItEERSiRT_, u16)
GETS(_ZNSi10_M_extractIjEERSiRT_, u32)
GETS(_ZNSi10_M_extractIlEERSiRT_, long)
GETS(_ZNSi10_M_extractImEERSiRT_, u64)
GETS(_ZNSi10_M_extractIxEERSiRT_, long)
GETS(_ZNSi10_M_extractIyEERSiRT_, u64)
GETS(_ZNSi10_M_extractIfEERSiRT_, float)
GETS(_ZNSi10_M_extractIdEERSiRT_, double)
GETS(_ZNSi10_M_extractIeEERSiRT_, long double)
GETS(_ZNSi10_M_extractIPvEERSiRT_, void *)

STREAM(int, _ZNSi3getEv, (void *self), (self), )
STREAM(int, _ZNSi4peekEv, (void *self), (self), )
STREAM(void *, _ZNSi6ignoreEv, (void *self), (self), )
STREAM(void *, _ZNSi6ignoreEl, (void *self, long n), (self, n), )
STREAM(void *, _ZNSi6ignoreEli, (void *self, long n, int end), (self, n, end), )
STREAM(int, _ZNSi4syncEv, (void *self), (self), )
STREAM(void *, _ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_, (void *self), (self), )
STREAM(void *, _ZNSi5ungetEv, (void *self), (self), )
STREAM(void *, _ZNSi7putbackEc, (void *self, char value), (self, value), )
STREAM(void *, _ZNSi3getERc, (void *self, char *to), (self, to), OUT(to, 1))
STREAM(void *, _ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_, (void *self, char *to),
       (self, to), OUT(to, 1))
STREAM(void *, _ZNSi4readEPcl, (void *self, char *to, usize n), (self, to, n), OUT(to, n))
STREAM(long, _ZNSi8readsomeEPcl, (void *self, char *to, usize n), (self, to, n), OUT(to, n))

/* A line, as far as it goes, and its end. */
#define GETS_LINE(name, parameters, arguments) \
	STREAM_THEN(void *, name, parameters, arguments, , OUT(to, __real_strnlen(to, n ? n - 1 : 0) + !!n))
GETS_LINE(_ZNSi3getEPcl, (void *self, char *to, usize n), (self, to, n))
GETS_LINE(_ZNSi3getEPclc, (void *self, char *to, usize n, char end), (self, to, n, end))
GETS_LINE(_ZNSi7getlineEPcl, (void *self, char *to, usize n), (self, to, n))
GETS_LINE(_ZNSi7getlineEPclc, (void *self, char *to, usize n, char end), (self, to, n, end))

#define GETS_STRING(name, parameters, arguments) \
	STREAM_THEN(void *, name, parameters, arguments, OUT(string, SIZEOF_STRING), \
		    OUT(word_at(string, 0), length_of(string) + 1))
/* clang-format off */
GETS_STRING(
_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE,
	(void *self, char *string), (self, string))
GETS_STRING(
_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE,
	(void *self, char *string), (self, string))
GETS_STRING(
_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_,
	(void *self, char *string, char end), (self, string, end))
/* clang-format on */
