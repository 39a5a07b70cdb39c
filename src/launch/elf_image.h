/*
 * elf_image.h: an ELF file of x86-64 as its loader sees it: bytes by virtual address. Read by libelf, as
 * hostile input: whatever the file does not have is NULL.
 */
#ifndef HEDDLE_LAUNCH_ELF_IMAGE_H
#define HEDDLE_LAUNCH_ELF_IMAGE_H

#include <elf.h>

#include "base/base.h"

struct Elf;

struct elf_image {
	struct Elf *elf;
	const u8 *bytes;
	u64 size;
	const Elf64_Phdr *segment;
	size_t segments;
};

/* 0, or -errno: -ENOEXEC if it is no ELF file of x86-64. */
int elf_image_open(struct elf_image *im, const char *path);
void elf_image_close(struct elf_image *im);
/* n bytes at a virtual address. */
const u8 *elf_image_at(const struct elf_image *im, u64 address, u64 n);
/* Is [address, address + n) code? */
bool elf_image_executable(const struct elf_image *im, u64 address, u64 n);
/* The first segment of this type. */
const Elf64_Phdr *elf_image_segment(const struct elf_image *im, u32 type);
/* The symbol table (.symtab, or .dynsym when that was stripped) and its strings. NULL: none. */
const Elf64_Sym *elf_image_symbols(const struct elf_image *im, u64 *count, const char **strings,
				   u64 *strings_size);
/* Does the dynamic symbol table define this name? (Stripping leaves that one.) */
bool elf_image_exports(const struct elf_image *im, const char *name);
/* Where the section of this name lies in memory; size 0: there is none. */
void elf_image_section(const struct elf_image *im, const char *name, u64 *start, u64 *size);
/* The address that the file's first page has when it is loaded where its headers say. */
u64 elf_image_base(const struct elf_image *im);

#endif
