/*
 * elf_file.h: the few facts about an ELF file that decide whether it can be
 * checked. Reads the file as hostile input: every offset is bounded by the file's size.
 */
#ifndef HEDDLE_LAUNCH_ELF_FILE_H
#define HEDDLE_LAUNCH_ELF_FILE_H

#include "base/base.h"

enum elf_kind {
	ELF_FILE_PROGRAM = 0, /* 64-bit x86 program or shared object */
	ELF_FILE_SCRIPT,
	ELF_FILE_NOT_ELF,
	ELF_FILE_32BIT,
	ELF_FILE_OTHER_MACHINE,
	ELF_FILE_NOT_LOADABLE, /* an object file, a core dump */
	ELF_FILE_DAMAGED,
	ELF_FILE_UNREADABLE, /* errno says why */
};

struct elf_file {
	enum elf_kind kind;
	char interpreter[256]; /* "" : statically linked. For a script: what follows #! */
	char build_id[65];     /* hexadecimal; "" : none */
	bool starts_libc;      /* imports __libc_start_main, where the runtime takes over */
	u64 content_hash;      /* FNV-1a over the whole file, only computed when there is no build-id */
};

void elf_file_read(const char *path, struct elf_file *out);

#endif
