#include "launch/elf_image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool plausible(struct elf_image *im)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)im->bytes;

	if (im->size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_machine != EM_X86_64 ||
	    h->e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	if (h->e_phentsize != sizeof(Elf64_Phdr) || (h->e_phoff & 7) || h->e_phoff > im->size ||
	    h->e_phnum * sizeof(Elf64_Phdr) > im->size - h->e_phoff)
		return false;
	im->header = h;
	im->segment = (const Elf64_Phdr *)(im->bytes + h->e_phoff);
	im->segments = h->e_phnum;
	return true;
}

int elf_image_open(struct elf_image *im, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes = MAP_FAILED;

	memset(im, 0, sizeof(*im));
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -1;
	im->bytes = bytes;
	im->size = (u64)st.st_size;
	if (plausible(im))
		return 0;
	elf_image_close(im);
	return -1;
}

void elf_image_close(struct elf_image *im)
{
	munmap((void *)im->bytes, im->size);
	im->bytes = NULL;
}

/* The PT_LOAD segment whose bytes from the file hold all of [address, address + n). */
static const Elf64_Phdr *holder(const struct elf_image *im, u64 address, u64 n)
{
	for (u16 i = 0; i < im->segments; i++) {
		const Elf64_Phdr *ph = &im->segment[i];

		if (ph->p_type != PT_LOAD || address < ph->p_vaddr || address - ph->p_vaddr > ph->p_filesz ||
		    n > ph->p_filesz - (address - ph->p_vaddr))
			continue;
		if (ph->p_offset <= im->size && ph->p_filesz <= im->size - ph->p_offset)
			return ph;
	}
	return NULL;
}

const u8 *elf_image_at(const struct elf_image *im, u64 address, u64 n)
{
	const Elf64_Phdr *ph = holder(im, address, n);

	return ph ? im->bytes + ph->p_offset + (address - ph->p_vaddr) : NULL;
}

bool elf_image_executable(const struct elf_image *im, u64 address, u64 n)
{
	const Elf64_Phdr *ph = holder(im, address, n);

	return ph && (ph->p_flags & PF_X);
}

const Elf64_Phdr *elf_image_segment(const struct elf_image *im, u32 type)
{
	for (u16 i = 0; i < im->segments; i++)
		if (im->segment[i].p_type == type)
			return &im->segment[i];
	return NULL;
}

static const void *section_bytes(const struct elf_image *im, const Elf64_Shdr *sh)
{
	return sh->sh_offset <= im->size && sh->sh_size <= im->size - sh->sh_offset
		       ? im->bytes + sh->sh_offset
		       : NULL;
}

static const Elf64_Shdr *sections(const struct elf_image *im)
{
	const Elf64_Ehdr *h = im->header;

	if (h->e_shentsize != sizeof(Elf64_Shdr) || (h->e_shoff & 7) || h->e_shoff > im->size ||
	    h->e_shnum * sizeof(Elf64_Shdr) > im->size - h->e_shoff)
		return NULL;
	return (const Elf64_Shdr *)(im->bytes + h->e_shoff);
}

/* The table that the section header `best` describes. */
static const Elf64_Sym *symbols_of(const struct elf_image *im, const Elf64_Shdr *best, u64 *count,
				   const char **strings, u64 *strings_size)
{
	const Elf64_Shdr *sh = sections(im), *names;
	const Elf64_Sym *list;

	if (!best || best->sh_link >= im->header->e_shnum || (best->sh_offset & 7))
		return NULL;
	names = &sh[best->sh_link];
	list = section_bytes(im, best);
	*strings = section_bytes(im, names);
	*strings_size = names->sh_size;
	*count = best->sh_size / sizeof(*list);
	return list && *strings && names->sh_size && !(*strings)[names->sh_size - 1] ? list : NULL;
}

const Elf64_Sym *elf_image_symbols(const struct elf_image *im, u64 *count, const char **strings,
				   u64 *strings_size)
{
	const Elf64_Shdr *sh = sections(im), *best = NULL;

	for (u16 i = 0; sh && i < im->header->e_shnum; i++)
		if (sh[i].sh_type == SHT_SYMTAB || (sh[i].sh_type == SHT_DYNSYM && !best))
			best = &sh[i];
	return symbols_of(im, best, count, strings, strings_size);
}

bool elf_image_exports(const struct elf_image *im, const char *name)
{
	const Elf64_Shdr *sh = sections(im), *dynamic = NULL;
	const Elf64_Sym *symbol;
	const char *strings;
	u64 count, size;

	for (u64 i = 0; sh && i < im->header->e_shnum; i++)
		if (sh[i].sh_type == SHT_DYNSYM)
			dynamic = &sh[i];
	symbol = symbols_of(im, dynamic, &count, &strings, &size);
	for (u64 i = 0; symbol && i < count; i++)
		if (symbol[i].st_shndx != SHN_UNDEF && symbol[i].st_name < size &&
		    !strcmp(strings + symbol[i].st_name, name))
			return true;
	return false;
}

void elf_image_section(const struct elf_image *im, const char *name, u64 *start, u64 *size)
{
	const Elf64_Shdr *sh = sections(im), *names;
	const char *strings;

	*start = *size = 0;
	if (!sh || im->header->e_shstrndx >= im->header->e_shnum)
		return;
	names = &sh[im->header->e_shstrndx];
	strings = section_bytes(im, names);
	if (!strings || !names->sh_size || strings[names->sh_size - 1])
		return;
	for (u16 i = 0; i < im->header->e_shnum; i++)
		if (sh[i].sh_name < names->sh_size && !strcmp(strings + sh[i].sh_name, name)) {
			*start = sh[i].sh_addr;
			*size = sh[i].sh_size;
		}
}

u64 elf_image_base(const struct elf_image *im)
{
	const Elf64_Phdr *first = elf_image_segment(im, PT_LOAD);

	return first ? (first->p_vaddr - first->p_offset) & ~(u64)0xfff : 0;
}
