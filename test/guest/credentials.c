/*
 * User, groups and capabilities belong to the process: what one thread sets another finds, or not yet. Rules as in
 * credentials(7). Who is not root can change nothing, and has the outcomes by choice.
 *
 * heddle: args=rules verdict=verified
 * heddle: args=user verdict=verified outcomes=0,1
 * heddle: args=groups verdict=verified outcomes=0,1
 * heddle: args=caps verdict=verified outcomes=0,1
 * heddle: args=dropped verdict=violation kind=assert
 * native: args=rules
 */
#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>

#include "guest.h"

static const char *how;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static int fails_with(int result, int error)
{
	return result == -1 && errno == error;
}

static struct __user_cap_data_struct caps(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];
	OK((int)syscall(SYS_capget, &header, data));
	return data[0];
}

static void drop_caps(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
	OK((int)syscall(SYS_capset, &header, data));
}

static void rules(void)
{
	uid_t r, e, s;
	gid_t groups[64];
	CHECK(fails_with(setuid((uid_t)-1), EINVAL));
	CHECK(fails_with(setsid(), EPERM) || heddle_running() == 0);
	CHECK(getpgid(0) == getpgrp());
	CHECK(getgroups(0, NULL) == getgroups(64, groups));
	if (geteuid()) {
		CHECK(fails_with(setuid(getuid() + 1), EPERM));
		OK(setuid(getuid()));
		CHECK(!caps().effective);
		return;
	}
	CHECK(caps().effective >> CAP_SETUID & 1);
	OK(setgroups(2, (gid_t[]){7, 8}));
	CHECK(getgroups(64, groups) == 2 && groups[0] == 7 && groups[1] == 8);
	OK(setresgid(10, 11, 12));
	CHECK(getgid() == 10 && getegid() == 11);
	OK(setresuid((uid_t)-1, 1000, (uid_t)-1)); /* for a while */
	CHECK(geteuid() == 1000 && !caps().effective && caps().permitted);
	CHECK(fails_with(setgroups(0, NULL), EPERM));
	CHECK(fails_with(setuid(1001), EPERM));
	OK(seteuid(0));
	CHECK(caps().effective);
	CHECK(setfsuid(5) == 0 && setfsuid((uid_t)-1) == 5);
	OK(setreuid(1000, 1001));
	OK(getresuid(&r, &e, &s));
	CHECK(r == 1000 && e == 1001 && s == 1001); /* for good */
	CHECK(!caps().permitted);
	CHECK(fails_with(setuid(0), EPERM));
	OK(seteuid(1000));
	OK(setuid(1001));
}

static void *sets(void *arg)
{
	if (is("user"))
		OK(setresuid((uid_t)-1, 1000, (uid_t)-1));
	else if (is("groups"))
		OK(setgroups(0, NULL));
	else
		drop_caps();
	return arg;
}

static int finds(void)
{
	if (is("user"))
		return geteuid() == 1000;
	if (is("groups"))
		return getgroups(0, NULL) == 0;
	return !caps().permitted;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "rules";
	if (is("rules")) {
		rules();
		return 0;
	}
	int found = 0;
	if (!geteuid() && !is("dropped")) {
		pthread_t t = spawn(sets, NULL);
		found = finds();
		join(t);
	} else if (is("dropped")) { /* it wants a right which another thread may have given up already */
		pthread_t t = spawn(sets, NULL);
		CHECK(!geteuid() && !setgroups(1, (gid_t[]){7}));
		join(t);
	} else {
		found = (int)heddle_choose(2);
	}
	heddle_outcome((unsigned long)found);
	return 0;
}
