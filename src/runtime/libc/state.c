#include "runtime/libc/state.h"

#include <dlfcn.h>

#define STATE(name, arguments, after, object, use) #name,
static const char *const names[] = {
#include "runtime/libc/state_list.h"
};
#undef STATE

u64 libc_real[LIBC_STATE_FUNCTIONS];
FILE *libc_standard[3], **libc_streams;

u64 libc_state_find(u64 index)
{
	if (!libc_real[index])
		libc_real[index] = (u64)dlsym(RTLD_NEXT, names[index]);
	return libc_real[index];
}

void libc_state_setup(void)
{
	for (u32 i = 0; i < LIBC_STATE_FUNCTIONS; i++)
		libc_state_find(i);
	libc_streams = dlsym(RTLD_NEXT, "_IO_list_all");
	libc_standard[0] = dlsym(RTLD_NEXT, "_IO_2_1_stdin_");
	libc_standard[1] = dlsym(RTLD_NEXT, "_IO_2_1_stdout_");
	libc_standard[2] = dlsym(RTLD_NEXT, "_IO_2_1_stderr_");
}
