/*
 * objects.c: the generic visible operation of the virtual kernel, "uses an object" (vk_use, vk_order),
 * objects in words, and which words of the model are process-wide state.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/sockets/sock.h"

static void describe_path(const char *path, struct text *t)
{
	text_str(t, path ? path : "a file");
}

static const char *const libc_names[LIBC_OBJECTS] = {
	[LIBC_ATEXIT] = "the list of exit handlers",
	[LIBC_CONCURRENCY] = "libc's defaults for threads",
	[LIBC_ENVIRONMENT] = "the environment",
	[LIBC_ETHER] = "the buffer of ether_ntoa",
	[LIBC_GETLOGIN] = "the buffer of getlogin",
	[LIBC_GETOPT] = "the state of getopt",
	[LIBC_GROUP] = "the buffer of getgrnam",
	[LIBC_HOSTS] = "the buffer of gethostbyname",
	[LIBC_HSEARCH] = "the table of hsearch",
	[LIBC_L64A] = "the buffer of l64a",
	[LIBC_LOCALE] = "the locale",
	[LIBC_PASSWD] = "the buffer of getpwnam",
	[LIBC_RANDOM] = "the state of rand",
	[LIBC_RANDOM48] = "the state of drand48",
	[LIBC_REGEX] = "the pattern of re_comp",
	[LIBC_SEVERITIES] = "the severities of fmtmsg",
	[LIBC_SERVICES] = "the buffer of getservbyname",
	[LIBC_CRYPT] = "the state of crypt",
	[LIBC_NUMBERS] = "signgam, and the buffer of ecvt",
	[LIBC_SHIFT_STATE] = "the shift state of mbrtowc",
	[LIBC_UTMP] = "the position in utmp",
	[LIBC_STRTOK] = "the state of strtok",
	[LIBC_SYSLOG] = "the state of syslog",
	[LIBC_TIME] = "the buffer of localtime",
	[LIBC_TMPNAM] = "the state of tmpnam",
	[LIBC_TTYNAME] = "the buffer of ttyname",
};

#define WORDS(field) offsetof(struct vk_model, field), sizeof(((struct vk_model *)0)->field)
const struct vk_process_state vk_process_state[] = {
	{VK_PROCESS_UMASK, "the umask", WORDS(umask)},
	{VK_PROCESS_CWD, "the current directory", WORDS(cwd)},
	{VK_PROCESS_BREAK, "the program break", WORDS(brk)},
	{VK_PROCESS_LIMITS, "the limits of the process", WORDS(limit)},
	{VK_PROCESS_SETTINGS, "the settings of the process", WORDS(process_settings)},
	{VK_PROCESS_ENDS, "whether connections have ended", 0, 0},
	{VK_PROCESS_CLIENTS, "which clients have come", WORDS(client_taken)},
	{VK_PROCESS_CLIENTS, "which clients have come", WORDS(client_last)},
	{VK_PROCESS_CLIENTS, "which clients have come", WORDS(joint_taken)},
	{VK_PROCESS_CLIENTS, "which clients have come", WORDS(dgram_client)},
	{VK_PROCESS_PARTED, "whether a connection was left", WORDS(parted)},
	{VK_PROCESS_SHARED, "what was said to the servers", WORDS(shared)},
	{VK_PROCESS_SHARED, "what was said to the servers", WORDS(naps)},
	{VK_PROCESS_SLOTS, "the table of open file descriptions", WORDS(desc_limit)},
	{VK_PROCESS_SLOTS, "the table of open file descriptions", WORDS(epolls)},
	{VK_PROCESS_SHARED_MAPS, "which files are mapped", WORDS(mapped_shared)},
	{VK_PROCESS_NAMES, "how many names there are", WORDS(names)},
	{VK_PROCESS_GUARDS, "the rights to memory", WORDS(guards)},
	{VK_PROCESS_HIDDEN_FDS, "the descriptors of libc's own", 0, 0},
	{VK_PROCESS_TIMERS, "the timers", WORDS(timer)},
	{VK_PROCESS_CREDENTIALS, "the credentials", WORDS(credentials)},
	{VK_PROCESS_FILE_LOCKS, "the locks on files", WORDS(file_locks)},
	/* the semaphores in it are known by their addresses: vk_owner.c */
	{VK_PROCESS_SEMAPHORES, "the named semaphores", WORDS(semaphore)},
	{VK_PROCESS_NET_FAULTS, "how many faults of the network there were", WORDS(net_faults)},
};
#undef WORDS
const u32 vk_process_state_count = HD_ARRAY_LEN(vk_process_state);

static const char *process_object_name(u64 key)
{
	if (key & LIBC_ADDRESS)
		return "a stream or directory";
	if (key >= PROCESS_FIRST_KEY)
		return "a key of thread-specific data";
	if (key >= VK_LANE_FIRST_KEY)
		return "the open file descriptions of some threads";
	if (key >= VK_SETTINGS_FIRST_KEY)
		return "the settings of a thread";
	if (key >= LIBC_FIRST_KEY && key < LIBC_FIRST_KEY + LIBC_OBJECTS)
		return libc_names[key - LIBC_FIRST_KEY];
	if (key == PROCESS_KEYS)
		return "the keys of thread-specific data";
	for (u32 i = 0; i < vk_process_state_count; i++)
		if (vk_process_state[i].object == key)
			return vk_process_state[i].name;
	return "state of the process";
}

static void describe_object(u64 object, struct text *t)
{
	u64 key = object & OBJECT_KEY_MASK;
	switch (object_class(object)) {
	case OBJECT_FD_TABLE:
		text_str(t, "the table of descriptors");
		break;
	case OBJECT_FD:
		vk_describe_fd((int)(u32)key, t);
		break;
	case OBJECT_DESC:
		vk_describe_desc(&vk->desc[(u32)key / VK_DESC_PARTS], t);
		break;
	case OBJECT_SOCKET:
		vk_describe_desc(&vk->desc[(key & ~VK_SOCKET_NAME) / 2], t);
		break;
	case OBJECT_PIPE:
		vk_describe_pipe(&vk->pipe[key], t);
		break;
	case OBJECT_PORT:
		sock_describe_port(key, t);
		break;
	case OBJECT_NAME:
		describe_path(touch_path_of_name(key), t);
		break;
	case OBJECT_FILE:
		describe_path(touch_path_of_file(key), t);
		break;
	case OBJECT_LISTING:
		text_str(t, "the list of names in ");
		describe_path(touch_path_of_name(key), t);
		break;
	case OBJECT_MAPPING:
		text_str(t, "the memory map of thread ");
		text_dec(t, (long)(u32)key + 1);
		break;
	case OBJECT_SIGNALS:
		text_str(t, object == VK_MASKS      ? "its signal mask"
			    : object == VK_HANDLERS ? "the actions for signals"
			    : key && key < 0x80     ? "the action for signal "
						    : "signals to the process");
		if (key && key < 0x80)
			text_dec(t, (long)key);
		break;
	default:
		text_str(t, process_object_name(key));
	}
}

/* op: object, n = enum access_mode */
static void use_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to use " : "uses ");
	describe_object(o->object, t);
}

static void use_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	vk_op_looked_up(o);
	if (object_class(o->object) == OBJECT_FD && o->object == vk_fd_object((int)o->object))
		vk_fd_declare((int)o->object, (enum access_mode)o->n);
	else
		access_declare(o->object, 1, (enum access_mode)o->n);
}
/* Busy: where all that threads do, for ever, is such uses, nothing comes of them (search/livelock.h). */
const struct op_class op_file = {
	.name = "file operation", .describe = use_describe, .accesses = use_accesses, .busy = true};
