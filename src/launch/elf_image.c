#include "launch/elf_image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* What libelf hands out lies within the file, but may be misaligned where the file is odd. */
static const void *aligned(const void *p)
{
	return (u64)p & 7 ? NULL : p;
}

static int read_headers(struct elf_image *im)
{
	const Elf64_Ehdr *h = elf_kind(im->elf) == ELF_K_ELF ? elf64_getehdr(im->elf) : NULL;
	size_t size = 0;
	if (!h || h->e_machine != EM_X86_64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	im->bytes = (const u8 *)elf_rawfile(im->elf, &size);
	im->size = size;
	if (!im->bytes || elf_getphdrnum(im->elf, &im->segments))
		return -ENOEXEC;
	im->segment = im->segments ? aligned(elf64_getphdr(im->elf)) : NULL;
	return im->segments && !im->segment ? -ENOEXEC : 0;
}

int elf_image_open(struct elf_image *im, const char *path)
{
	memset(im, 0, sizeof(*im));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	im->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int ret = im->elf ? read_headers(im) : -ENOEXEC;
	close(fd); /* all of it is mapped, or was read by elf_rawfile */
	if (ret)
		elf_image_close(im);
	return ret;
}

void elf_image_close(struct elf_image *im)
{
	elf_end(im->elf);
	memset(im, 0, sizeof(*im));
}

/* The PT_LOAD segment whose bytes from the file hold all of [address, address + n). */
static const Elf64_Phdr *holder(const struct elf_image *im, u64 address, u64 n)
{
	for (size_t i = 0; i < im->segments; i++) {
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
	for (size_t i = 0; i < im->segments; i++)
		if (im->segment[i].p_type == type)
			return &im->segment[i];
	return NULL;
}

/* The last section of this type. */
static Elf_Scn *section_of_type(const struct elf_image *im, u32 type)
{
	Elf_Scn *found = NULL;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(im->elf, s));) {
		GElf_Shdr sh;
		if (gelf_getshdr(s, &sh) && sh.sh_type == type)
			found = s;
	}
	return found;
}

static const Elf64_Sym *symbols_of(const struct elf_image *im, Elf_Scn *section, u64 *count,
				   const char **strings, u64 *strings_size)
{
	GElf_Shdr sh;
	Elf_Scn *names = section && gelf_getshdr(section, &sh) ? elf_getscn(im->elf, sh.sh_link) : NULL;
	const Elf_Data *list = names ? elf_getdata(section, NULL) : NULL;
	const Elf_Data *text = list ? elf_getdata(names, NULL) : NULL;
	if (!text || !list->d_buf || !text->d_buf || !text->d_size)
		return NULL;
	*strings = text->d_buf;
	*strings_size = text->d_size;
	*count = list->d_size / sizeof(Elf64_Sym);
	return (*strings)[text->d_size - 1] ? NULL : aligned(list->d_buf);
}

const Elf64_Sym *elf_image_symbols(const struct elf_image *im, u64 *count, const char **strings,
				   u64 *strings_size)
{
	Elf_Scn *all = section_of_type(im, SHT_SYMTAB);
	return symbols_of(im, all ? all : section_of_type(im, SHT_DYNSYM), count, strings, strings_size);
}

bool elf_image_exports(const struct elf_image *im, const char *name)
{
	const char *strings;
	u64 count, size;
	const Elf64_Sym *symbol = symbols_of(im, section_of_type(im, SHT_DYNSYM), &count, &strings, &size);
	for (u64 i = 0; symbol && i < count; i++)
		if (symbol[i].st_shndx != SHN_UNDEF && symbol[i].st_name < size &&
		    !strcmp(strings + symbol[i].st_name, name))
			return true;
	return false;
}

void elf_image_section(const struct elf_image *im, const char *name, u64 *start, u64 *size)
{
	size_t names;
	*start = *size = 0;
	if (elf_getshdrstrndx(im->elf, &names))
		return;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(im->elf, s));) {
		GElf_Shdr sh;
		const char *its = gelf_getshdr(s, &sh) ? elf_strptr(im->elf, names, sh.sh_name) : NULL;
		if (its && !strcmp(its, name)) {
			*start = sh.sh_addr;
			*size = sh.sh_size;
		}
	}
}

u64 elf_image_base(const struct elf_image *im)
{
	const Elf64_Phdr *first = elf_image_segment(im, PT_LOAD);
	return first ? (first->p_vaddr - first->p_offset) & ~(u64)0xfff : 0;
}
