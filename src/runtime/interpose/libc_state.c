/*
 * State inside libc.
 *
 * A call of rand(), strtok() or fputs() on a shared stream changes memory of libc that other threads use,
 * too. In an unmodified program nobody sees that, and glibc's own locks show only when threads wait for them.
 * So each public function that uses such state is preceded by a use of an object that stands for it
 * (vk_use_outside): while one thread alone uses it, nothing happens; where several do, each call is a step.
 * The call itself is libc's own, all in that step, unless it waits inside (fgets on a pipe): it holds the
 * stream's lock then, and others wait for that at a futex.
 *
 * A result that points into such state is read by the caller afterwards, by plain loads. So there is a second
 * use, when the function has returned: others may come in between (libc/state_list.h, "after").
 *
 * errno is each thread's own, but a handler of that thread may change it behind the call that set it. What
 * the runtime defines itself has set errno when it is over (OP_RETURN); libc's own wrappers of system calls
 * set it afterwards. So the program's looks at it are places where a handler may run.
 *
 * Streams are known by their addresses, and so are directories. stdout and stderr are left out while they
 * lead to the console: nobody in the program can tell the order of lines there.
 */
#include "runtime/interpose/interpose.h"
#include "runtime/libc/state.h"
#include "runtime/sched/access.h"
#include "runtime/sched/thread.h"
#include "runtime/vkernel/core/objects.h"

enum libc_use {
	STREAM,
	STREAM_LOOK,
	DIRECTORY,
	CHANGE,
	LOOK,
	LOOK_IF_ARG0_NULL,
	LOOK_IF_ARG1_NULL,
	LOOK_SHIFT_OWN,  /* it has a shift state of its own, */
	LOOK_SHIFT_ARG2, /* or is given one, */
	LOOK_SHIFT_ARG3, /* unless that is NULL */
	OWN_ERRNO,
	CHANGE_HIDING,
	HIDING
};
enum { ARG0 = LIBC_OBJECTS, ARG1, ARG2, ARG3, ARG4 };

#define STATE(name, arguments, after, object, use) {object, use},
static const struct {
	u8 object, use;
} rows[] = {
#include "runtime/libc/state_list.h"
};
#undef STATE

static bool is_console(const FILE *f)
{
	return (f == libc_standard[1] || f == libc_standard[2]) && vk_is_console(f->_fileno);
}

static void use_stream(FILE *f, enum access_mode mode)
{
	if (f && !is_console(f))
		vk_use_outside(libc_address_object((u64)f), mode);
}

/* fflush(NULL) */
static void use_all_streams(void)
{
	for (FILE *f = *libc_streams; f; f = f->_chain)
		use_stream(f, ACCESS_WRITE);
}

static bool flushes_all(u64 index, const u64 *args)
{
	return index == LIBC_STATE_exit || index == LIBC_STATE_fcloseall ||
	       (index == LIBC_STATE_fflush && !args[0]);
}

/* TZ, LANG and LC_*, POSIXLY_CORRECT, TMPDIR */
static bool reads_environment(u32 object, enum access_mode mode)
{
	return object == LIBC_TIME || (object == LIBC_LOCALE && mode == ACCESS_WRITE) ||
	       object == LIBC_GETOPT || object == LIBC_TMPNAM;
}

/* args: the function's; after: it has returned, and args[0] is still its first one. */
__attribute__((visibility("hidden"))) void libc_state_use(u64 index, const u64 *args, u64 after);
DOOR_INSIDE(void, libc_state_use)(u64 index, const u64 *args, u64 after)
{
	u32 object = rows[index].object;
	u64 address = object >= ARG0 ? args[object - ARG0] : 0;
	if (object >= LIBC_STDIN && object <= LIBC_STDERR)
		address = (u64)libc_standard[object - LIBC_STDIN];
	enum access_mode mode = after ? ACCESS_READ : ACCESS_WRITE;
	if (index == LIBC_STATE_getaddrinfo && !after && start_taken_over())
		thread_may_cancel(); /* it asks the kernel for addresses, if they matter to it */
	if (rows[index].use == OWN_ERRNO) {
		if (sched_active() && (u64)args > (u64)kstack_running) /* not the runtime itself */
			access_look_at_errno();
		return;
	}
	if (rows[index].use >= CHANGE_HIDING && start_taken_over())
		vk_hide_descriptors(!after);
	if (flushes_all(index, args) && !after)
		access_streams();
	if (!sched_active() || sched_all_joined() || rows[index].use == HIDING)
		return;
	switch ((enum libc_use)rows[index].use) {
	case STREAM_LOOK:
		mode = ACCESS_READ; /* fall through */
	case STREAM:
		if (address)
			use_stream((FILE *)address, mode);
		else
			use_all_streams();
		return;
	case DIRECTORY:
		if (address)
			vk_use_outside(libc_address_object(address), mode);
		return;
	case LOOK:
		mode = ACCESS_READ;
		break;
	case LOOK_IF_ARG0_NULL:
	case LOOK_IF_ARG1_NULL:
		if (!after && !args[rows[index].use - LOOK_IF_ARG0_NULL])
			mode = ACCESS_READ;
		break;
	case LOOK_SHIFT_OWN:
	case LOOK_SHIFT_ARG2:
	case LOOK_SHIFT_ARG3:
		mode = ACCESS_READ;
		if (rows[index].use != LOOK_SHIFT_OWN && args[rows[index].use - LOOK_SHIFT_ARG2 + 2])
			break;
		vk_use_outside_two(libc_object(LIBC_LOCALE), mode, libc_object(LIBC_SHIFT_STATE),
				   ACCESS_WRITE);
		return;
	case OWN_ERRNO:
	case CHANGE:
	case CHANGE_HIDING:
	case HIDING:
		break;
	}
	u64 id = object == LIBC_BREAK ? VK_BREAK : libc_object((enum libc_object)object);
	if (!after && reads_environment(object, mode))
		vk_use_outside_two(id, mode, libc_object(LIBC_ENVIRONMENT), ACCESS_READ);
	else
		vk_use_outside(id, mode);
}
