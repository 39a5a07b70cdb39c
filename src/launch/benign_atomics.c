/*
 * benign_atomics.c: every thread of Rust enters itself in a table of guard pages, under a lock of its own,
 * and leaves it again at its end; every stream of C++ counts a reference to the classic locale. The program
 * can see none of that: no call of the program's own happens while such a lock is held, and the locale
 * never goes away. As steps they would only multiply the states, so they are told apart by the names of the
 * variables. In a stripped program they are steps like others.
 *
 * The table of guard pages is there only if SIGSEGV is not ignored when the program starts (guards_stacks).
 *
 * A name belongs here only if no code outside the library can run, wait or end while the variable says
 * "taken".
 */
#include "launch/benign_atomics.h"

#include <string.h>

/* Parts of mangled names: both of Rust's manglings, and C++'s, keep these. */
#define RUST_STACKS "14stack_overflow11thread_info"
static const char *const names[] = {
	RUST_STACKS,               /* std::sys::…::stack_overflow::thread_info::{LOCK, SPIN_LOCK} */
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

	for (u64 i = 0; symbol && i < count && out->benigns < WIRE_MAX_BENIGN; i++) {
		const char *name = symbol[i].st_name < size ? strings + symbol[i].st_name : "";

		if (ELF64_ST_TYPE(symbol[i].st_info) != STT_OBJECT || !symbol[i].st_size || !is_benign(name))
			continue;
		out->guards_stacks |= strstr(name, RUST_STACKS) != NULL;
		out->benign[out->benigns++] = (struct wire_range){symbol[i].st_value + bias,
								  symbol[i].st_size};
	}
}
