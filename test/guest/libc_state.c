/*
 * State that libc keeps for the whole process: whose call comes first shows.
 *
 * heddle: args=fputs verdict=verified outcomes=1,2
 * heddle: args=fgetc verdict=verified outcomes=97,98
 * heddle: args=getline verdict=verified outcomes=97,98
 * heddle: args=fread verdict=verified outcomes=97,98
 * heddle: args=rand verdict=verified outcomes=1,2
 * heddle: args=random verdict=verified outcomes=1,2
 * heddle: args=strtok verdict=verified outcomes=98,100
 * heddle: args=localtime verdict=verified outcomes=70,100
 * heddle: args=environ verdict=verified outcomes=0,1
 * heddle: args=unsetenv verdict=verified outcomes=0,1
 * heddle: args=locale verdict=verified outcomes=0,1
 * heddle: args=atexit verdict=verified outcomes=12,21
 * heddle: args=keys verdict=verified outcomes=1,2
 * heddle: args=names verdict=verified outcomes=0,1
 * heddle: args=fileno verdict=verified outcomes=0,1
 * heddle: args=getopt verdict=verified outcomes=1,2
 * heddle: args=drand48 verdict=verified outcomes=1,2
 * heddle: args=passwd verdict=verified outcomes=0,1
 * heddle: args=hsearch verdict=verified outcomes=0,1
 * heddle: args=recomp verdict=verified outcomes=0,1
 * heddle: args=fgetpwent verdict=verified outcomes=1,2
 * native: args=rand any
 */
#define _REGEX_RE_COMP /* re_comp, re_exec */
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>

#include "guest.h"

static const char *how;
static FILE *f;
static int first_rand, order;
static pthread_key_t key[2];

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void one(void)
{
	order = order * 10 + 1;
	if (order > 10)
		heddle_outcome(order);
}

static void two(void)
{
	order = order * 10 + 2;
	if (order > 10)
		heddle_outcome(order);
}

static char *arguments[] = {"guest", "-a", "-b", NULL};

static int next_option(void)
{
	return getopt(3, arguments, "ab");
}

static void *second(void *arg)
{
	char *line = NULL, c;
	size_t n = 0;
	time_t y2k = 951782400;
	static char words[] = "c d";
	if (is("fputs"))
		fputs("cd", f);
	else if (is("fgetc"))
		fgetc(f);
	else if (is("getline"))
		(void)!getline(&line, &n, f), free(line);
	else if (is("fread"))
		(void)!fread(&c, 1, 1, f);
	else if (is("rand"))
		rand();
	else if (is("random"))
		random();
	else if (is("strtok"))
		strtok(words, " ");
	else if (is("localtime"))
		localtime(&y2k);
	else if (is("environ"))
		setenv("GUEST", "1", 1);
	else if (is("unsetenv"))
		unsetenv("GUEST");
	else if (is("locale"))
		setlocale(LC_ALL, "C.UTF-8");
	else if (is("atexit"))
		atexit(two);
	else if (is("keys"))
		OK(pthread_key_create(&key[1], NULL));
	else if (is("names"))
		OK(pthread_setname_np(*(pthread_t *)arg, "other"));
	else if (is("getopt"))
		next_option();
	else if (is("drand48"))
		drand48();
	else if (is("passwd"))
		getpwuid(1);
	else if (is("hsearch"))
		hsearch((ENTRY){"key", "value"}, ENTER);
	else if (is("recomp"))
		re_comp("other");
	else if (is("fgetpwent"))
		fgetpwent(f);
	else if (is("fileno"))
		setvbuf(f, NULL, _IONBF, 0), fputc('x', f);
	return NULL;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "rand";
	pthread_t self = pthread_self();
	char text[32] = "", *line = NULL, name[16], *token;
	size_t n = 0;
	time_t epoch = 86400;
	static char words[] = "a b";
	f = tmpfile();
	if (is("fgetc") || is("fread"))
		fputs("ab", f), rewind(f);
	if (is("getline"))
		fputs("a\nb\n", f), rewind(f);
	if (is("rand") || is("random"))
		srand(7), first_rand = is("rand") ? rand() : (int)random(), srand(7);
	if (is("unsetenv"))
		setenv("GUEST", "1", 1);
	if (is("strtok"))
		strtok(words, " ");
	double first_double = 0;
	if (is("drand48"))
		srand48(7), first_double = drand48(), srand48(7);
	if (is("hsearch"))
		hcreate(8);
	if (is("recomp"))
		re_comp("this");
	if (is("fgetpwent"))
		fputs("a:x:1:1:::\nb:x:2:2:::\n", f), rewind(f);
	struct passwd *root = is("fgetpwent") ? fgetpwent(f) : is("passwd") ? getpwuid(0) : NULL;
	struct tm *tm = is("localtime") ? localtime(&epoch) : NULL;
	pthread_t t = spawn(second, &self);
	if (is("fputs"))
		fputs("ab", f);
	else if (is("fgetc"))
		heddle_outcome(fgetc(f));
	else if (is("getline"))
		(void)!getline(&line, &n, f), heddle_outcome(line[0]), free(line);
	else if (is("fread"))
		(void)!fread(text, 1, 1, f), heddle_outcome(text[0]);
	else if (is("rand"))
		heddle_outcome(rand() == first_rand ? 1 : 2);
	else if (is("random"))
		heddle_outcome(random() == first_rand ? 1 : 2);
	else if (is("strtok"))
		token = strtok(NULL, " "), heddle_outcome(token ? token[0] : 0);
	else if (is("localtime"))
		sched_yield(), heddle_outcome(tm->tm_year);
	else if (is("environ") || is("unsetenv"))
		heddle_outcome(getenv("GUEST") != NULL);
	else if (is("locale"))
		heddle_outcome(strcmp(setlocale(LC_ALL, NULL), "C") != 0);
	else if (is("atexit"))
		atexit(one);
	else if (is("keys"))
		OK(pthread_key_create(&key[0], NULL));
	else if (is("names"))
		pthread_getname_np(self, name, sizeof(name)), heddle_outcome(!strcmp(name, "other"));
	else if (is("getopt"))
		heddle_outcome(next_option() == 'a' ? 1 : 2);
	else if (is("drand48"))
		heddle_outcome(drand48() == first_double ? 1 : 2);
	else if (is("passwd"))
		sched_yield(), heddle_outcome(root->pw_uid);
	else if (is("hsearch"))
		heddle_outcome(hsearch((ENTRY){"key", NULL}, FIND) != NULL);
	else if (is("recomp"))
		heddle_outcome(re_exec("this"));
	else if (is("fgetpwent"))
		sched_yield(), heddle_outcome(root->pw_uid);
	else if (is("fileno"))
		heddle_outcome(ftell(f));
	join(t);
	if (is("fputs")) {
		rewind(f);
		CHECK(fgets(text, sizeof(text), f));
		CHECK(!strcmp(text, "abcd") || !strcmp(text, "cdab"));
		heddle_outcome(text[0] == 'a' ? 1 : 2);
	}
	if (is("keys"))
		heddle_outcome(key[0] < key[1] ? 1 : 2);
	return 0;
}
