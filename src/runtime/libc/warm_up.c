#include "runtime/libc/warm_up.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <sys/syscall.h>

#include "base/pages.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/libc/state.h"

static const struct {
	const char *prefix;
	u32 what;
} imports[] = {
#define HOSTS 1
	{"getaddrinfo", HOSTS},  {"gethostby", HOSTS},
#define SERVICES 2
	{"getservby", SERVICES},
#define USERS 4
	{"getpwnam", USERS},     {"getpwuid", USERS},
#define GROUPS 8
	{"getgrnam", GROUPS},    {"getgrgid", GROUPS}, {"getgrouplist", GROUPS}, {"initgroups", GROUPS},
#define ZONE 16
	{"localtime", ZONE},     {"mktime", ZONE},     {"ctime", ZONE},          {"strftime", ZONE},
};

static u32 wanted;
static void (*free_list)(struct addrinfo *);

static void note_import(const char *name)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(imports); i++)
		if (str_starts(name, imports[i].prefix))
			wanted |= imports[i].what;
}

/* The dynamic section of a module; ld.so has made addresses of its offsets. */
struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * relocations[2];
	u64 bytes[2];
};

static struct tables read_dynamic(const ElfW(Dyn) * d)
{
	struct tables t = {0};
	for (; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			t.symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
		if (d->d_tag == DT_STRTAB)
			t.strings = (const char *)d->d_un.d_ptr;
		if (d->d_tag == DT_RELA || d->d_tag == DT_JMPREL)
			t.relocations[d->d_tag == DT_JMPREL] = (const ElfW(Rela) *)d->d_un.d_ptr;
		if (d->d_tag == DT_RELASZ || d->d_tag == DT_PLTRELSZ)
			t.bytes[d->d_tag == DT_PLTRELSZ] = d->d_un.d_val;
	}
	return t;
}

static void note_imports(const struct tables *t)
{
	for (u32 table = 0; table < 2; table++) {
		const ElfW(Rela) *r = t->relocations[table];
		for (u64 i = 0; r && i < t->bytes[table] / sizeof(*r); i++) {
			const ElfW(Sym) *symbol = &t->symbols[ELF64_R_SYM(r[i].r_info)];
			if (symbol->st_shndx == SHN_UNDEF)
				note_import(t->strings + symbol->st_name);
		}
	}
}

static int note_module(struct dl_phdr_info *module, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (u32 i = 0; i < module->dlpi_phnum; i++) {
		if (module->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		struct tables t = read_dynamic(
			(const ElfW(Dyn) *)(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr));
		if (t.symbols > (const ElfW(Sym) *)HD_PAGE) /* the vDSO's are offsets */
			note_imports(&t);
	}
	return 0;
}

/* A machine on which somebody would have to be asked. */
static bool localhost_is_known(void)
{
	enum { MOST = 1 << 16 };
	static const char name[] = "localhost";
	char *text = pages_map(MOST);
	long fd = sys_call3(SYS_open, (long)"/etc/hosts", O_RDONLY | O_CLOEXEC, 0);
	long len = text && !sys_failed(fd) ? sys_call3(SYS_read, fd, (long)text, MOST - 1) : 0;
	bool found = false;
	for (long i = 0; i + (long)sizeof(name) <= len && !found; i++)
		found = str_starts(text + i, name);
	if (!sys_failed(fd))
		sys_call3(SYS_close, fd, 0, 0);
	if (text)
		pages_unmap(text, MOST);
	return found;
}

void warm_up_setup(void)
{
	dl_iterate_phdr(note_module, NULL);
	if ((wanted & HOSTS) && !localhost_is_known())
		wanted &= ~(u32)HOSTS;
	free_list = (void (*)(struct addrinfo *))dlsym(RTLD_NEXT, "freeaddrinfo");
}

static void ask_for(const char *host, const char *service)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	int (*ask)(const char *, const char *, const struct addrinfo *,
		   struct addrinfo **) = (void *)libc_real[LIBC_STATE_getaddrinfo];
	if (!ask(host, service, &hints, &list))
		free_list(list);
}

void warm_up(void)
{
	int saved = errno;
	if (wanted & HOSTS) {
		ask_for("localhost", NULL);
		ask_for(NULL, "http");
	}
	if (wanted & SERVICES)
		((void *(*)(const char *, const char *))libc_real[LIBC_STATE_getservbyname])("http", "tcp");
	if (wanted & USERS)
		((void *(*)(u32))libc_real[LIBC_STATE_getpwuid])(0);
	if (wanted & GROUPS)
		((void *(*)(u32))libc_real[LIBC_STATE_getgrgid])(0);
	if (wanted & ZONE)
		((void (*)(void))libc_real[LIBC_STATE_tzset])();
	errno = saved;
}
