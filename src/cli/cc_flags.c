/*
 * cc_flags.c: the compiler, and the options that make it instrument memory accesses and link heddle's
 * hooks.
 *
 * What is not instrumented is not interleaved, so compilers must not touch memory behind the
 * instrumentation's back. gcc expands small copies in place after it has instrumented: its string functions
 * are made ordinary ones. clang leaves out the read of x++ because its write tells of the race already:
 * heddle needs both steps. Link-time optimisation would do all this at another time, and without these
 * options: it is off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cc.h"
#include "launch/elf_image.h"
#include "wire/wrapped.h"
#include "launch/runtime_library.h"

#define NAME_COMMA(name) #name,
static const char *const wrapped[] = {HOOKS_WRAPPED(NAME_COMMA)};
static const char *const wrapped_checked[] = {HOOKS_WRAPPED_CHECKED(NAME_COMMA)};
static const char *const wrapped_calls[] = {
	HOOKS_WRAPPED_CALLS(NAME_COMMA) HOOKS_WRAPPED_STRUCTS(NAME_COMMA) HOOKS_WRAPPED_THREADS(NAME_COMMA)
		HOOKS_WRAPPED_STREAMS(NAME_COMMA) HOOKS_WRAPPED_CONTAINERS(NAME_COMMA)};

static const char *const gcc_flags[] = {
	"-fsanitize=thread",
	"--param=tsan-distinguish-volatile=1",
	"--param=tsan-instrument-func-entry-exit=0",
	"--param=builtin-string-cmp-inline-length=0",
	"-U__SANITIZE_THREAD__", /* code that would leave itself out when it sees it must not */
	"-Wno-tsan",             /* "atomic_thread_fence is not supported": here it is */
};
static const char *const clang_flags[] = {
	"-fsanitize=thread",
	"-mllvm",
	"-tsan-distinguish-volatile=1",
	"-mllvm",
	"-tsan-instrument-func-entry-exit=0",
	"-mllvm",
	"-tsan-instrument-read-before-write=1",
	"-mllvm",
	"-max-loads-per-memcmp=0",
	"-mllvm",
	"-max-loads-per-memcmp-opt-size=0",
	"-Wno-unused-command-line-argument",
};

static void split(struct words *out, const char *text)
{
	char *copy = strdup(text), *rest = copy, *one;

	while (rest && (one = strsep(&rest, " \t\n")))
		if (*one)
			words_add(out, one);
	free(copy);
}

/* clang-14 becomes clang++-14, gcc g++; others stay. */
static void to_cxx(struct words *w)
{
	static const char *const pairs[][2] = {{"clang", "clang++"}, {"gcc", "g++"}};
	char *last = w->list[w->count - 1], *found, *renamed;

	for (size_t i = 0; i < HD_ARRAY_LEN(pairs); i++) {
		found = strstr(cc_base_name(last), pairs[i][0]);
		if (!found || strstr(cc_base_name(last), "++"))
			continue;
		if (asprintf(&renamed, "%.*s%s%s", (int)(found - last), last, pairs[i][1],
			     found + strlen(pairs[i][0])) < 0)
			return;
		free(last);
		w->list[w->count - 1] = renamed;
		return;
	}
}

static void choose(struct words *out, bool cxx, const char *hidden)
{
	const char *cc = getenv("HEDDLE_CC"), *plus = getenv("HEDDLE_CXX");

	if (hidden && !(cc && *cc) && !(cxx && plus && *plus)) {
		words_add(out, hidden);
		return;
	}
	split(out, cxx && plus && *plus ? plus : cc && *cc ? cc : "gcc");
	if (!out->count)
		words_add(out, "gcc");
	if (cxx && !(plus && *plus))
		to_cxx(out);
}

/* By name where it says so; cc, c++ and others are asked. */
static int find_out_clang(struct cc_tools *t, struct problem *p)
{
	const char *name = cc_base_name(t->compiler.list[t->compiler.count - 1]);
	struct words ask = {0};
	char answer[65536];
	int ret;

	t->is_clang = strstr(name, "clang") != NULL;
	if (t->is_clang || strstr(name, "gcc") || strstr(name, "g++"))
		return 0;
	for (size_t i = 0; i < t->compiler.count; i++)
		words_add(&ask, t->compiler.list[i]);
	split(&ask, "-dM -E -x c /dev/null");
	ret = cc_read(&ask, false, answer, sizeof(answer));
	words_free(&ask);
	if (ret)
		return problem_set(
			p, "%s is no working C compiler; HEDDLE_CC and HEDDLE_CXX choose it (gcc, clang)",
			name);
	t->is_clang = strstr(answer, "__clang__") != NULL;
	return 0;
}

/*
 * The plugin fits the gcc that heddle was built with, to the last digit of its version; no other would load
 * it.
 */
static void find_plugin(struct cc_tools *t)
{
	struct problem p;
	struct words ask = {0};
	char answer[64] = "";

	t->plugin[0] = 0;
	if (t->is_clang || support_file_find("heddle-gcc-plugin.so", t->plugin, sizeof(t->plugin), &p)) {
		t->plugin[0] = 0;
		return;
	}
	for (size_t i = 0; i < t->compiler.count; i++)
		words_add(&ask, t->compiler.list[i]);
	words_add(&ask, "-dumpfullversion");
	if (cc_read(&ask, false, answer, sizeof(answer)) ||
	    strncmp(answer, HEDDLE_PLUGIN_GCC "\n", sizeof(HEDDLE_PLUGIN_GCC)))
		t->plugin[0] = 0;
	words_free(&ask);
}

int cc_tools_find(struct cc_tools *t, bool cxx, const char *hidden, struct problem *p)
{
	memset(t, 0, sizeof(*t));
	choose(&t->compiler, cxx, hidden);
	if (find_out_clang(t, p) || support_file_find("libheddle-hooks.a", t->hooks, sizeof(t->hooks), p))
		return -1;
	find_plugin(t);
	return support_file_find("heddle-builtins.h", t->header, sizeof(t->header), p);
}

void cc_tools_free(struct cc_tools *t)
{
	words_free(&t->compiler);
}

static void add_compiler(struct words *out, const struct cc_tools *t)
{
	for (size_t i = 0; i < t->compiler.count; i++)
		words_add(out, t->compiler.list[i]);
}

static void add_word(struct words *out, const struct cc_word *w)
{
	words_add(out, w->text);
	if (w->value)
		words_add(out, w->value);
}

/* Before the user's own, which may therefore switch instrumentation off for a file (-fno-sanitize=thread). */
static void add_instrumentation(struct words *out, const struct cc_tools *t, const struct cc_command *c)
{
	for (size_t i = 0; t->is_clang && i < HD_ARRAY_LEN(clang_flags); i++)
		words_add(out, clang_flags[i]);
	for (size_t i = 0; !t->is_clang && i < HD_ARRAY_LEN(gcc_flags); i++)
		words_add(out, gcc_flags[i]);
	/* strlen is never expanded in place, and people initialise constants with it. */
	for (size_t i = 0; !t->is_clang && i < HD_ARRAY_LEN(wrapped); i++)
		if (strcmp(wrapped[i], "strlen"))
			words_addf(out, "-fno-builtin-%s", wrapped[i]);
	if (!t->is_clang) {
		words_add(out, "-include");
		words_add(out, t->header);
		if (t->plugin[0])
			words_addf(out, "-fplugin=%s", t->plugin);
	}
	/* Before the system's: bits/c++config.h. C has no header of that name. */
	words_add(out, "-isystem");
	words_addf(out, "%.*scxx", (int)(cc_base_name(t->header) - t->header), t->header);
	if (!c->debug)
		words_add(out, "-g");
}

void cc_ask(struct words *out, const struct cc_tools *t, const struct cc_command *c)
{
	add_compiler(out, t);
	for (size_t i = 0; i < c->count; i++)
		add_word(out, &c->word[i]);
}

void cc_compile(struct words *out, const struct cc_tools *t, const struct cc_command *c)
{
	add_compiler(out, t);
	add_instrumentation(out, t, c);
	for (size_t i = 0; i < c->count; i++)
		add_word(out, &c->word[i]);
	words_add(out, "-fno-lto");
}

/*
 * A dependency file is named after the program, as it would be in one go; the temporary object must not
 * show.
 */
static void add_dependencies(struct words *out, const struct cc_command *c, const char *source)
{
	const char *name = c->output ? c->output : cc_base_name(source),
		   *dot = strrchr(cc_base_name(name), '.');
	int stem = (int)(dot ? dot - name : (long)strlen(name));

	if (!c->dependency_file) {
		words_add(out, "-MF");
		words_addf(out, "%.*s.d", stem, name);
	}
	if (c->dependency_target)
		return;
	words_add(out, "-MT");
	if (c->output)
		words_add(out, c->output);
	else
		words_addf(out, "%.*s.o", stem, name);
}

void cc_compile_one(struct words *out, const struct cc_tools *t, const struct cc_command *c,
		    const struct cc_word *source, const char *object)
{
	add_compiler(out, t);
	add_instrumentation(out, t, c);
	for (size_t i = 0; i < c->count; i++)
		if (c->word[i].kind == CC_OPTION || c->word[i].kind == CC_DEPENDENCY)
			add_word(out, &c->word[i]);
	if (c->dependencies)
		add_dependencies(out, c, source->text);
	/* Separate debug information would lie beside the temporary object and go with it. */
	words_add(out, "-gno-split-dwarf");
	words_add(out, "-fno-lto");
	if (source->language) {
		words_add(out, "-x");
		words_add(out, source->language);
	}
	words_add(out, "-c");
	words_add(out, source->text);
	words_add(out, "-o");
	words_add(out, object);
}

static bool is_among(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

static void add_wraps(struct words *out, const char *const *names, size_t count, const struct words *own)
{
	for (size_t i = 0; i < count; i++)
		if (!is_among(names[i], (const char *const *)own->list, own->count))
			words_addf(out, "-Wl,--wrap=%s", names[i]);
}

void cc_find_own(const char *path, struct words *own)
{
	struct elf_image im;
	const char *strings;
	u64 count, size;

	if (elf_image_open(&im, path))
		return;
	const Elf64_Sym *symbol = elf_image_symbols(&im, &count, &strings, &size);
	for (u64 i = 0; symbol && i < count; i++) {
		const Elf64_Sym *s = &symbol[i];
		bool defined = s->st_shndx != SHN_UNDEF && s->st_size &&
			       ELF64_ST_TYPE(s->st_info) == STT_FUNC;
		if (!defined || ELF64_ST_BIND(s->st_info) == STB_LOCAL || s->st_name >= size)
			continue;
		const char *name = strings + s->st_name;
		if (is_among(name, wrapped, HD_ARRAY_LEN(wrapped)) ||
		    is_among(name, wrapped_checked, HD_ARRAY_LEN(wrapped_checked)) ||
		    is_among(name, wrapped_calls, HD_ARRAY_LEN(wrapped_calls)))
			words_add(own, name);
	}
	elf_image_close(&im);
}

/* -u and --export-dynamic-symbol: heddle knows the program by this mark (hooks/version.c). */
static void add_hooks(struct words *out, const struct cc_tools *t, const struct words *own)
{
	words_add(out, t->hooks);
	words_add(out, "-Wl,-u,heddle_hooks_mark");
	words_add(out, "-Wl,--export-dynamic-symbol=heddle_hooks_version");
	words_add(out, "-Wl,--export-dynamic-symbol=heddle_hooks_range");
	/* The summary says what is left out then. */
	if (t->is_clang || !t->plugin[0]) {
		const char *mark = t->is_clang ? "heddle_hooks_by_clang" : "heddle_hooks_without_plugin";

		words_addf(out, "-Wl,-u,%s", mark);
		words_addf(out, "-Wl,--export-dynamic-symbol=%s", mark);
	}
	add_wraps(out, wrapped, HD_ARRAY_LEN(wrapped), own);
	add_wraps(out, wrapped_checked, HD_ARRAY_LEN(wrapped_checked), own);
	add_wraps(out, wrapped_calls, HD_ARRAY_LEN(wrapped_calls), own);
}

/*
 * libstdc++ and libgcc are never linked statically (-static-libstdc++): calls of them would go to code that
 * is not instrumented, and nobody would notice them.
 */
void cc_link(struct words *out, const struct cc_tools *t, const struct cc_command *c, char *const *object,
	     const struct words *own)
{
	add_compiler(out, t);
	if (t->is_clang)
		words_add(out, "-Wno-unused-command-line-argument");
	for (size_t i = 0; i < c->count; i++) {
		if (object[i])
			words_add(out, object[i]);
		else if (c->word[i].kind != CC_LANGUAGE && c->word[i].kind != CC_DEPENDENCY &&
			 strncmp(c->word[i].text, "-static-lib", sizeof("-static-lib") - 1))
			add_word(out, &c->word[i]);
	}
	if (object[c->count])
		words_add(out, object[c->count]);
	words_add(out, "-fno-lto");
	if (!c->relocatable)
		add_hooks(out, t, own);
	/* gold looks for the wrappers also where a library needs the wrapped function. */
	for (size_t i = 0; !c->relocatable && i < c->count; i++)
		if (!strcmp(c->word[i].text, "-fuse-ld=gold"))
			words_add(out, "-Wl,-u,__wrap_strlen,-u,__wrap_memcpy");
}
