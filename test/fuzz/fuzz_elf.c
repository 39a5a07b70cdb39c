/* ELF files: whatever is in them, the facts are well formed. */
#include <elf.h>
#include <string.h>

#include "fuzz.h"
#include "launch/elf_file.h"
#include "launch/elf_image.h"

/* Every byte that is given out can be read. */
static void look(const u8 *bytes, u64 n)
{
	for (u64 i = 0; bytes && i < n; i++)
		(void)*(const volatile u8 *)(bytes + i);
}

static void symbols(const struct elf_image *im)
{
	const char *strings = NULL;
	u64 count = 0, size = 0;
	const Elf64_Sym *list = elf_image_symbols(im, &count, &strings, &size);

	if (!list)
		return;
	look((const u8 *)list, count * sizeof(*list));
	look((const u8 *)strings, size);
}

static void image(const char *path)
{
	struct elf_image im;
	u64 base;

	if (elf_image_open(&im, path))
		return;
	base = elf_image_base(&im);
	for (u64 i = 0; i < 4096; i += 64) {
		look(elf_image_at(&im, base + i, 64), 64);
		elf_image_executable(&im, base + i, 64);
	}
	look(elf_image_at(&im, base, im.size), im.size);
	elf_image_segment(&im, PT_DYNAMIC);
	symbols(&im);
	elf_image_close(&im);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf_file e;
	size_t digits;

	image(fuzz_file(data, size));
	elf_file_read(fuzz_file(data, size), &e);
	fuzz_accepted += e.kind == ELF_FILE_PROGRAM;
	fuzz_expect(e.kind <= ELF_FILE_UNREADABLE);
	fuzz_expect(memchr(e.interpreter, 0, sizeof(e.interpreter)));
	digits = strspn(e.build_id, "0123456789abcdef");
	fuzz_expect(digits < sizeof(e.build_id) && !e.build_id[digits] && digits % 2 == 0);
	fuzz_expect(size || e.kind == ELF_FILE_NOT_ELF);
	return 0;
}
