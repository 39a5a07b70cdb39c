/*
 * benign_atomics.c: every thread of Rust enters itself in a table of guard pages, under a lock of its own,
 * and leaves it again at its end; every stream of C++ counts a reference to the classic locale. The program
 * can see none of that: no call of the program's own happens while such a lock is held, and the locale
 * never goes away. As steps they would only multiply the states, so they are told apart by the names of the
 * variables. In a stripped program they are steps like others.
 *
 * A name belongs here only if no code outside the library can run, wait or end while the variable says
 * "taken".
 */
#include "launch/benign_atomics.h"

#include <string.h>

/* Parts of mangled names: both of Rust's manglings, and C++'s, keep these. */
static const char *const names[] = {
	"14stack_overflow11thread_info", /* std::sys::…::stack_overflow::thread_info::{LOCK, SPIN_LOCK} */
	"5guard3key6enable5DTORS", /* std::sys::thread_local::guard::key::enable::DTORS: a key made once */
	"13c_locale_impl",         /* (anonymous namespace)::c_locale_impl of libstdc++ */
};

static bool is_benign(const char *name)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(names); i++)
		if (strstr(name, names[i]))
			return true;
	return false;
}

void benign_atomics_find(const struct elf_image *im, u64 bias, struct wire_atomics *out)
{
	const char *strings;
	u64 count, size;
	const Elf64_Sym *symbol = elf_image_symbols(im, &count, &strings, &size);

	for (u64 i = 0; symbol && i < count && out->benigns < WIRE_MAX_BENIGN; i++)
		if (ELF64_ST_TYPE(symbol[i].st_info) == STT_OBJECT && symbol[i].st_size &&
		    symbol[i].st_name < size && is_benign(strings + symbol[i].st_name))
			out->benign[out->benigns++] = (struct wire_range){symbol[i].st_value + bias,
									  symbol[i].st_size};
}
