/*
 * dynamic_loading.c: libraries opened by the program itself: before its threads start, by threads, by libc behind its
 * back. A library's data is state: if the second thread comes while the first has it open, the counter goes
 * on (522 = own 5, count 2, heap 2), else the library starts anew (511).
 *
 * plugin: counter
 * build: -Wl,-rpath,$ORIGIN
 * heddle: verdict=verified outcomes=522,533 args=before
 * heddle: verdict=verified outcomes=511 args=thread
 * heddle: verdict=verified outcomes=511,522 args=threads
 * heddle: verdict=verified outcomes=511,522 args=threads options="--sanity 3"
 * heddle: verdict=verified outcomes=3 args=iconv
 * heddle: verdict=verified outcomes=0 args=passwd
 * heddle: verdict=verified outcomes=0 args=missing
 * native: args=before
 * native: args=threads
 * native: args=iconv
 * native: args=passwd
 */
#include <dlfcn.h>
#include <iconv.h>
#include <pwd.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *opened(void)
{
	void *library = dlopen("counter.so", RTLD_NOW);
	CHECK(library);
	return library;
}

static int next(void *library)
{
	int (*function)(void) = (int (*)(void))dlsym(library, "counter_next");
	CHECK(function);
	pthread_mutex_lock(&lock);
	int n = function();
	pthread_mutex_unlock(&lock);
	return n;
}

static void *body(void *arg)
{
	void *library = opened();
	int n = next(library);
	heddle_outcome(n);
	OK(dlclose(library));
	return arg;
}

static void before(void)
{
	void *library = opened();
	CHECK(next(library) == 511 && next(library) == 622);
	OK(dlclose(library));
	library = opened();
	CHECK(next(library) == 511);
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
}

static void with_threads(int two)
{
	pthread_t a = spawn(body, NULL);
	if (two)
		join(spawn(body, NULL));
	join(a);
}

/* The euro sign has three bytes in UTF-8; the table comes from a library. */
static void convert(void)
{
	char in[] = "\xa4", out[8] = {0}, *from = in, *to = out;
	size_t left = 1, room = sizeof out;
	iconv_t c = iconv_open("UTF-8", "ISO-8859-15");
	CHECK(c != (iconv_t)-1);
	CHECK(iconv(c, &from, &left, &to, &room) == 0);
	heddle_outcome((long)(sizeof out - room));
	OK(iconv_close(c));
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "before")) {
		before();
	} else if (story(argc, argv, "iconv")) {
		convert();
	} else if (story(argc, argv, "passwd")) {
		struct passwd *root = getpwnam("root");
		CHECK(root);
		heddle_outcome(root->pw_uid);
	} else if (story(argc, argv, "missing")) {
		CHECK(!dlopen("no-such-library.so", RTLD_NOW) && strstr(dlerror(), "no-such-library"));
		heddle_outcome(0);
	} else {
		with_threads(story(argc, argv, "threads"));
	}
	return 0;
}
