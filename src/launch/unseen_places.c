#include "launch/unseen_places.h"

#include <string.h>

#include "launch/elf_image.h"

/*
 * The gcc plugin writes it: "file:line" of assembly, "file" without instrumentation; and heddle cc when it
 * links: "+file" of code that was compiled by somebody else. Each is terminated.
 */
#define SECTION "heddle_unseen"

static void assembly_of(const struct elf_image *im,
			void (*fn)(void *self, const char *what, const char *where), void *self)
{
	u64 start, size, at = 0;
	const char *text;

	elf_image_section(im, SECTION, &start, &size);
	text = size ? (const char *)elf_image_at(im, start, size) : NULL;
	while (text && at < size) {
		size_t len = strnlen(text + at, size - at);

		if (at + len == size)
			return;
		if (text[at] == '+')
			fn(self, "code that heddle cc did not compile", text + at + 1);
		else if (len)
			fn(self,
			   strchr(text + at, ':') ? "inline assembly"
						  : "all of a file (-fno-sanitize=thread)",
			   text + at);
		at += len + 1;
	}
}

void unseen_places(const char *file, void (*fn)(void *self, const char *what, const char *where), void *self)
{
	struct elf_image im;

	if (elf_image_open(&im, file))
		return;
	assembly_of(&im, fn, self);
	if (elf_image_exports(&im, "heddle_hooks_by_clang"))
		fn(self,
		   "what clang leaves out (inline assembly, functions with no_sanitize, members of some "
		   "local objects; "
		   "gcc does not)",
		   "");
	if (elf_image_exports(&im, "heddle_hooks_without_plugin"))
		fn(self,
		   "what gcc leaves out without heddle's plugin, which is for another version (structs by "
		   "value, inline "
		   "assembly, functions with no_sanitize)",
		   "");
	elf_image_close(&im);
}
