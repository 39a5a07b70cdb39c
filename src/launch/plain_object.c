#include "launch/plain_object.h"

#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

/* Every object that was compiled with -fsanitize=thread calls it before main, gcc's and clang's. */
#define MARK "__tsan_init"
#define TELLS "heddle_unseen"

struct traits {
	bool code, instrumented, tells;
};

static bool refers_to(Elf *elf, Elf_Scn *section, const Elf64_Shdr *h, const char *wanted)
{
	Elf_Data *data = elf_getdata(section, NULL);

	for (size_t i = 0; data && data->d_buf && i < data->d_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *s = (const Elf64_Sym *)data->d_buf + i;
		const char *name = elf_strptr(elf, h->sh_link, s->st_name);

		if (s->st_shndx == SHN_UNDEF && name && !strcmp(name, wanted))
			return true;
	}
	return false;
}

static bool is_plain(Elf *elf)
{
	const Elf64_Ehdr *header = elf_kind(elf) == ELF_K_ELF ? elf64_getehdr(elf) : NULL;
	struct traits t = {0};
	Elf_Scn *section = NULL;
	size_t names;

	if (!header || header->e_type != ET_REL || header->e_machine != EM_X86_64 ||
	    elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const Elf64_Shdr *h = elf64_getshdr(section);
		const char *name = h ? elf_strptr(elf, names, h->sh_name) : NULL;

		if (!h)
			continue;
		t.code |= h->sh_flags & SHF_EXECINSTR && h->sh_size;
		t.tells |= name && !strcmp(name, TELLS);
		t.instrumented |= h->sh_type == SHT_SYMTAB && refers_to(elf, section, h, MARK);
	}
	return t.code && !t.instrumented && !t.tells;
}

static bool member_is_plain(int fd, Elf *archive, const char *member)
{
	Elf_Cmd command = ELF_C_READ;
	bool found = false, plain = false;
	Elf *elf;

	while (!found && command != ELF_C_NULL && (elf = elf_begin(fd, command, archive))) {
		const Elf_Arhdr *h = elf_getarhdr(elf);

		found = h && h->ar_name && !strcmp(h->ar_name, member);
		plain = found && is_plain(elf);
		command = elf_next(elf);
		elf_end(elf);
	}
	return plain;
}

bool plain_object(const char *path, const char *member)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool plain = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		plain = member ? member_is_plain(fd, elf, member) : is_plain(elf);
	elf_end(elf);
	close(fd);
	return plain;
}
