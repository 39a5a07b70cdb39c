#include "launch/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	const u8 *bytes;
	u64 size;
};

/* n bytes at `offset`, NULL when the file does not have them. */
static const void *image_at(const struct image *im, u64 offset, u64 n)
{
	if (offset > im->size || n > im->size - offset)
		return NULL;
	return im->bytes + offset;
}

static void read_shebang(const struct image *im, struct elf_file *out)
{
	size_t i = 2, n = 0;

	while (i < im->size && im->bytes[i] == ' ')
		i++;
	while (i < im->size && n < sizeof(out->interpreter) - 1 && im->bytes[i] > ' ')
		out->interpreter[n++] = (char)im->bytes[i++];
	out->interpreter[n] = 0;
}

static enum elf_kind classify(const struct image *im, struct elf_file *out)
{
	const Elf64_Ehdr *h;

	if (im->size >= 2 && !memcmp(im->bytes, "#!", 2)) {
		read_shebang(im, out);
		return ELF_FILE_SCRIPT;
	}
	if (im->size < EI_NIDENT || memcmp(im->bytes, ELFMAG, SELFMAG))
		return ELF_FILE_NOT_ELF;
	if (im->bytes[EI_CLASS] == ELFCLASS32)
		return ELF_FILE_32BIT;
	h = image_at(im, 0, sizeof(*h));
	if (!h)
		return ELF_FILE_DAMAGED;
	if (h->e_machine != EM_X86_64 || im->bytes[EI_DATA] != ELFDATA2LSB)
		return ELF_FILE_OTHER_MACHINE;
	return h->e_type == ET_EXEC || h->e_type == ET_DYN ? ELF_FILE_PROGRAM : ELF_FILE_NOT_LOADABLE;
}

static bool read_interpreter(const struct image *im, const Elf64_Phdr *ph, struct elf_file *out)
{
	const char *name = image_at(im, ph->p_offset, ph->p_filesz);

	if (!name || ph->p_filesz == 0 || ph->p_filesz > sizeof(out->interpreter) || name[ph->p_filesz - 1])
		return false;
	memcpy(out->interpreter, name, ph->p_filesz);
	return true;
}

static void hex_id(char *out, size_t cap, const u8 *id, size_t n)
{
	for (size_t i = 0; i < n && 2 * i + 2 < cap; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

static void read_notes(const struct image *im, const Elf64_Phdr *ph, struct elf_file *out)
{
	u64 at = 0, align = ph->p_align == 8 ? 8 : 4;

	while (at < ph->p_filesz) {
		const Elf64_Nhdr *n = image_at(im, ph->p_offset + at, sizeof(*n));
		u64 desc;
		const u8 *name, *id;

		if (!n || (ph->p_offset & 3))
			return;
		desc = sizeof(*n) + HD_ROUND_UP((u64)n->n_namesz, align);
		name = image_at(im, ph->p_offset + at + sizeof(*n), 4);
		id = image_at(im, ph->p_offset + at + desc, n->n_descsz);
		if (!name || !id)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4))
			hex_id(out->build_id, sizeof(out->build_id), id, n->n_descsz);
		at += desc + HD_ROUND_UP((u64)n->n_descsz, align);
	}
}

/* File offset of a virtual address; the file's size when no segment has it. */
static u64 file_offset(const struct image *im, const Elf64_Phdr *ph, u16 n, u64 address)
{
	for (u16 i = 0; i < n; i++)
		if (ph[i].p_type == PT_LOAD && address >= ph[i].p_vaddr &&
		    address - ph[i].p_vaddr < ph[i].p_filesz)
			return ph[i].p_offset + (address - ph[i].p_vaddr);
	return im->size;
}

/* The names of imported symbols are strings of the dynamic section; a look for the string is enough. */
static bool imports_start_main(const struct image *im, const Elf64_Phdr *ph, u16 n, const Elf64_Phdr *dynamic)
{
	static const char name[] = "__libc_start_main";
	const Elf64_Dyn *d = image_at(im, dynamic->p_offset, dynamic->p_filesz);
	u64 strings = 0, size = 0;
	const char *table;

	if (!d || (dynamic->p_offset & 7))
		return false;
	for (u64 i = 0; i < dynamic->p_filesz / sizeof(*d) && d[i].d_tag != DT_NULL; i++) {
		if (d[i].d_tag == DT_STRTAB)
			strings = d[i].d_un.d_ptr;
		if (d[i].d_tag == DT_STRSZ)
			size = d[i].d_un.d_val;
	}
	table = image_at(im, file_offset(im, ph, n, strings), size);
	return table && memmem(table, size, name, sizeof(name));
}

static enum elf_kind read_headers(const struct image *im, struct elf_file *out)
{
	const Elf64_Ehdr *h = image_at(im, 0, sizeof(*h));
	const Elf64_Phdr *ph;

	if (h->e_phentsize != sizeof(*ph) || (h->e_phoff & 7))
		return ELF_FILE_DAMAGED;
	ph = image_at(im, h->e_phoff, (u64)h->e_phnum * sizeof(*ph));
	if (!ph || h->e_phnum == 0)
		return ELF_FILE_DAMAGED;
	for (u16 i = 0; i < h->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && !image_at(im, ph[i].p_offset, ph[i].p_filesz))
			return ELF_FILE_DAMAGED;
		if (ph[i].p_type == PT_INTERP && !read_interpreter(im, &ph[i], out))
			return ELF_FILE_DAMAGED;
		if (ph[i].p_type == PT_DYNAMIC)
			out->starts_libc = imports_start_main(im, ph, h->e_phnum, &ph[i]);
		if (ph[i].p_type == PT_NOTE)
			read_notes(im, &ph[i], out);
	}
	return ELF_FILE_PROGRAM;
}

static u64 fnv1a(const struct image *im)
{
	u64 h = 0xcbf29ce484222325u;

	for (u64 i = 0; i < im->size; i++)
		h = (h ^ im->bytes[i]) * 0x100000001b3u;
	return h;
}

void elf_file_read(const char *path, struct elf_file *out)
{
	struct image im = {0};
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	memset(out, 0, sizeof(*out));
	out->kind = ELF_FILE_UNREADABLE;
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_size == 0) {
		out->kind = ELF_FILE_NOT_ELF;
	} else if (fstat(fd, &st) == 0) {
		im.size = (u64)st.st_size;
		im.bytes = mmap(NULL, im.size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	if (!im.bytes || im.bytes == MAP_FAILED)
		return;
	out->kind = classify(&im, out);
	if (out->kind == ELF_FILE_PROGRAM)
		out->kind = read_headers(&im, out);
	if (!out->build_id[0])
		out->content_hash = fnv1a(&im);
	munmap((void *)im.bytes, im.size);
}
