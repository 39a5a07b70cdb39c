/*
 * driver.c: a corpus and its mutations, the same in every run: case n depends on the seed and n alone.
 *
 *   target CORPUS-DIR [CASES [SEED]]        all files, then so many mutations
 *   target --case N CORPUS-DIR [SEED]       mutation N alone, to find out what is wrong
 *   target --print N CORPUS-DIR [SEED]      its bytes
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MOST_FILES 256
#define MOST_BYTES (1u << 16)
#define DEFAULT_CASES 4000

static struct {
	char *name;
	u8 *bytes;
	size_t size;
} corpus[MOST_FILES];
static size_t files;
static u64 random_state, case_number;

static u32 draw(size_t below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return below ? (u32)((random_state >> 33) % below) : 0;
}

static int wanted(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void load_file(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	hd_assert(files < MOST_FILES);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	hd_assert(f);
	corpus[files].name = strdup(name);
	corpus[files].bytes = malloc(MOST_BYTES);
	corpus[files].size = fread(corpus[files].bytes, 1, MOST_BYTES, f);
	fclose(f);
	files++;
}

static void load_corpus(const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, wanted, alphasort), i;

	hd_assert(n > 0);
	for (i = 0; i < n; i++) {
		load_file(dir, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

struct input {
	u8 bytes[MOST_BYTES];
	size_t size;
};

/* Room for `n` bytes at `at`. */
static bool make_room(struct input *in, size_t at, size_t n)
{
	if (in->size + n > MOST_BYTES)
		return false;
	memmove(in->bytes + at + n, in->bytes + at, in->size - at);
	in->size += n;
	return true;
}

static void put(struct input *in, size_t at, const void *from, size_t n)
{
	if (make_room(in, at, n))
		memcpy(in->bytes + at, from, n);
}

static void flip(struct input *in)
{
	if (in->size)
		in->bytes[draw(in->size)] ^= (u8)(1u << draw(8));
}

static void set_byte(struct input *in)
{
	static const u8 telling[] = {0,   1,   7,   8,    0x7f, 0x80, 0xff, '0',
				     '9', '-', ' ', '\n', '"',  '{',  '[',  ':'};

	if (in->size)
		in->bytes[draw(in->size)] = draw(4) ? telling[draw(sizeof(telling))] : (u8)draw(256);
}

/* Where sizes and offsets are, this makes them huge, tiny or just wrong. */
static void set_number(struct input *in)
{
	static const u64 telling[] = {0,          1,          0x7f,       0xff,      0x1000,     0x7fffffff,
				      0x80000000, 0xffffffff, 1ull << 40, INT64_MAX, 1ull << 63, ~0ull};
	size_t width = (size_t)1 << draw(4), at;
	u64 v = telling[draw(HD_ARRAY_LEN(telling))] + draw(3) - 1;

	if (in->size < width)
		return;
	at = draw(in->size - width + 1) / width * width;
	memcpy(in->bytes + at, &v, width);
}

static void cut(struct input *in)
{
	size_t at = draw(in->size), n = draw(draw(2) ? 8 : in->size);

	n = HD_MIN(n, in->size - at);
	memmove(in->bytes + at, in->bytes + at + n, in->size - at - n);
	in->size -= n;
}

static void end_early(struct input *in)
{
	in->size = draw(in->size + 1);
}

static void repeat(struct input *in)
{
	size_t at = draw(in->size), n = HD_MIN((size_t)draw(draw(4) ? 32 : 2000), in->size - at);
	u8 copy[2000];

	memcpy(copy, in->bytes + at, n);
	put(in, draw(in->size + 1), copy, n);
}

static void splice(struct input *in)
{
	size_t other = draw(files), at = draw(corpus[other].size), n = draw(corpus[other].size - at + 1);

	put(in, draw(in->size + 1), corpus[other].bytes + at, n);
}

static const char *const words[] = {
	"0",
	"-1",
	"18446744073709551616",
	"1e999",
	"null",
	"[]",
	"{}",
	"\"\"",
	"true",
	"0x0",
	"0x",
	"*4294967295",
	".65535",
	"%s%n",
	"\n",
	"\n  ",
	"- ",
	"&a ",
	"*a",
	": ",
	"? ",
	"---\n",
	"!!str",
	"|\n",
	"yes",
	"9223372036854775807",
	"\\u0000",
	"\xff",
	"\xc3",
	"..",
	"--",
	"=",
	"k",
	"ms",
};

static const char *any_word(void)
{
	return words[draw(HD_ARRAY_LEN(words))];
}

static void insert_word(struct input *in)
{
	const char *word = any_word();

	put(in, draw(in->size + 1), word, strlen(word));
}

static bool in_word(const struct input *in, size_t at)
{
	return at < in->size && (isalnum(in->bytes[at]) || in->bytes[at] == '-');
}

/* Text stays well formed more often when whole words change. */
static void replace_word(struct input *in)
{
	const char *word = any_word();
	size_t from = draw(in->size), to;

	while (from < in->size && !in_word(in, from))
		from++;
	while (from > 0 && in_word(in, from - 1))
		from--;
	for (to = from; in_word(in, to); to++)
		;
	memmove(in->bytes + from, in->bytes + to, in->size - to);
	in->size -= to - from;
	put(in, from, word, strlen(word));
}

static void mutate(struct input *in)
{
	static void (*const kinds[])(struct input *) = {flip,         set_byte,    set_number, cut,
							end_early,    repeat,      splice,     insert_word,
							replace_word, replace_word};
	u32 n = 1 + draw(draw(3) ? 3 : 12);

	for (; n; n--)
		kinds[draw(HD_ARRAY_LEN(kinds))](in);
}

static void make_case(struct input *in, u64 seed, u64 n)
{
	size_t from;

	random_state = (seed << 32) + n;
	draw(1);
	draw(1);
	from = draw(files);
	in->size = corpus[from].size;
	memcpy(in->bytes, corpus[from].bytes, in->size);
	mutate(in);
}

/* A copy of the exact size, so that the sanitizer sees a read behind the end. */
static void run(const u8 *bytes, size_t size)
{
	u8 *copy = malloc(size ? size : 1);

	hd_assert(copy);
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

/* AddressSanitizer calls this when it has found something. */
void __asan_on_error(void);
void __asan_on_error(void)
{
	fprintf(stderr, "# in case %lu\n", case_number);
}

void hd_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: case %lu: failed: %s\n", file, line, case_number, what);
	abort();
}

static void run_all(u64 cases, u64 seed)
{
	static struct input in;

	printf("1..2\n");
	for (size_t i = 0; i < files; i++)
		run(corpus[i].bytes, corpus[i].size);
	fuzz_expect(fuzz_accepted);
	printf("ok 1 - the corpus, %zu files, %zu of them accepted\n", files, fuzz_accepted);
	fuzz_accepted = 0;
	for (case_number = 1; case_number <= cases; case_number++) {
		make_case(&in, seed, case_number);
		run(in.bytes, in.size);
	}
	printf("ok 2 - %lu mutations of it, %zu of them accepted\n", cases, fuzz_accepted);
}

static void run_one(bool print, u64 n, u64 seed)
{
	static struct input in;

	case_number = n;
	make_case(&in, seed, n);
	if (print)
		fwrite(in.bytes, 1, in.size, stdout);
	else
		run(in.bytes, in.size);
}

static u64 number(int argc, char **argv, int at, u64 otherwise)
{
	return argc > at ? strtoul(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	bool one = argc > 3 && !strncmp(argv[1], "--", 2);

	if (argc < 2)
		return 2;
	load_corpus(argv[one ? 3 : 1]);
	if (one)
		run_one(!strcmp(argv[1], "--print"), number(argc, argv, 2, 1), number(argc, argv, 4, 1));
	else
		run_all(number(argc, argv, 2, DEFAULT_CASES), number(argc, argv, 3, 1));
	for (size_t i = 0; i < files; i++) {
		free(corpus[i].name);
		free(corpus[i].bytes);
	}
	return 0;
}
