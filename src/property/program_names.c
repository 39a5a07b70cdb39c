#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property/property_priv.h"

#define DEEPEST 32

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* One walk over the debug information of a module. */
struct walk {
	struct names *names;
	u64 bias;
	const char *file;
};

static void *grow(void *list, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return list;
	*room = *room ? 2 * *room : 256;
	return realloc(list, *room * size);
}

static char *join(const char *scope, const char *name)
{
	char *out;

	if (asprintf(&out, "%s%s%s", scope, *scope ? "::" : "", name) < 0)
		return NULL;
	return out;
}

/* Scopes of a member that is defined outside its class. */
static char *qualified_by_declaration(Dwarf_Die *die, const char *name)
{
	Dwarf_Attribute attr;
	Dwarf_Die declared, *scope = NULL;
	char text[512] = "";

	if (!dwarf_attr(die, DW_AT_specification, &attr) || !dwarf_formref_die(&attr, &declared))
		return NULL;
	int n = dwarf_getscopes_die(&declared, &scope);

	for (int i = n - 1; i > 0; i--) {
		const char *one = dwarf_diename(&scope[i]);
		size_t len = strlen(text);
		int tag = dwarf_tag(&scope[i]);

		if (one && tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit)
			snprintf(text + len, sizeof(text) - len, "%s%s", len ? "::" : "", one);
	}
	free(scope);
	return join(text, name);
}

/* The address as the debug information has it; *thread_local_: there is one in each thread. */
static bool location(Dwarf_Die *die, u64 *address, bool *thread_local_)
{
	Dwarf_Attribute attr, indexed;
	Dwarf_Addr at;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &n) || !n)
		return false;
	for (size_t i = 0; i < n; i++)
		*thread_local_ |= op[i].atom == DW_OP_GNU_push_tls_address ||
				  op[i].atom == DW_OP_form_tls_address;
	if (*thread_local_)
		return true;
	if (op[0].atom == DW_OP_addrx && !dwarf_getlocation_attr(&attr, op, &indexed) &&
	    !dwarf_formaddr(&indexed, &at))
		*address = at;
	else if (op[0].atom == DW_OP_addr)
		*address = op[0].number;
	else
		return false;
	if (n == 2 && op[1].atom == DW_OP_plus_uconst)
		*address += op[1].number;
	/* Where the linker has left out a section, its addresses are 0. */
	return *address && (n == 1 || (n == 2 && op[1].atom == DW_OP_plus_uconst));
}

static bool add_enumerator(struct names *n, const char *scope, const char *name, u64 value, bool gone)
{
	struct enumerator *grown = grow(n->enumerator, n->enumerators, &n->enumerator_room, sizeof(*grown));

	if (!grown) {
		n->out_of_memory = true;
		return false;
	}
	n->enumerator = grown;
	grown[n->enumerators].value = value;
	grown[n->enumerators].gone = gone;
	grown[n->enumerators].name = join(scope, name);
	n->enumerators += grown[n->enumerators].name != NULL;
	return true;
}

/* A variable that nobody changes may have become a number: it is one here, too. Others are nowhere. */
static void add_constant(struct walk *w, Dwarf_Die *die, const char *scope)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;
	Dwarf_Sword v;

	if (dwarf_attr(die, DW_AT_const_value, &attr) && !dwarf_formsdata(&attr, &v))
		add_enumerator(w->names, scope, name, (u64)v, false);
	else if (!dwarf_hasattr(die, DW_AT_declaration))
		add_enumerator(w->names, scope, name, 0, true);
}

static void add_variable(struct walk *w, Dwarf_Die *die, const char *scope, bool in_function)
{
	struct names *n = w->names;
	const char *name = dwarf_diename(die);
	struct variable v = {.file = w->file, .die = *die, .in_function = in_function};

	if (!name)
		return;
	if (!dwarf_hasattr(die, DW_AT_location) && !in_function)
		add_constant(w, die, scope);
	if (dwarf_hasattr(die, DW_AT_declaration) || !location(die, &v.address, &v.thread_local_))
		return;
	v.external = dwarf_hasattr_integrate(die, DW_AT_external);
	v.address += v.thread_local_ ? 0 : w->bias;
	v.name = qualified_by_declaration(die, name);
	if (!v.name)
		v.name = join(scope, name);
	struct variable *grown = grow(n->variable, n->variables, &n->variable_room, sizeof(*grown));

	if (grown)
		n->variable = grown;
	if (!v.name || !grown) {
		free(v.name);
		n->out_of_memory = true;
		return;
	}
	grown[n->variables++] = v;
}

static void add_enumerators(struct walk *w, Dwarf_Die *of, const char *scope)
{
	const char *own = dwarf_diename(of);
	bool is_class = dwarf_hasattr(of, DW_AT_enum_class);
	Dwarf_Die die;

	if (dwarf_child(of, &die))
		return;
	char *inside = is_class && own ? join(scope, own) : strdup(scope);

	do {
		Dwarf_Attribute attr;
		Dwarf_Sword v;

		if (!inside || dwarf_tag(&die) != DW_TAG_enumerator || !dwarf_diename(&die) ||
		    !dwarf_attr(&die, DW_AT_const_value, &attr) || dwarf_formsdata(&attr, &v))
			continue;
		if (!add_enumerator(w->names, inside, dwarf_diename(&die), (u64)v, false))
			break;
	} while (dwarf_siblingof(&die, &die) == 0);
	free(inside);
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_lexical_block || tag == DW_TAG_module;
}

static void walk_children(struct walk *w, Dwarf_Die *parent, const char *scope, bool in_function, int depth)
{
	Dwarf_Die die;

	if (depth > DEEPEST || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_lexical_block ? NULL : dwarf_diename(&die);

		if (tag == DW_TAG_variable)
			add_variable(w, &die, scope, in_function);
		else if (tag == DW_TAG_enumeration_type)
			add_enumerators(w, &die, scope);
		else if (is_scope(tag)) {
			char *inner = name ? join(scope, name) : NULL;

			walk_children(w, &die, inner ? inner : scope, in_function || tag == DW_TAG_subprogram,
				      depth + 1);
			free(inner);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* Memory that heddle shares with the process lies below the program, and has a name like a module. */
static bool is_heddles(const char *module)
{
	return !strncmp(module, "/memfd:", 7);
}

static int walk_module(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr start, void *arg)
{
	struct walk w = {.names = arg};
	bool first;
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	(void)user;
	(void)start;
	if (is_heddles(name) || !strcmp(name, w.names->runtime_path))
		return DWARF_CB_OK;
	first = !w.names->modules++;
	while ((cu = dwfl_module_nextcu(m, cu, &bias))) {
		w.bias = bias;
		w.file = base_name(dwarf_diename(cu));
		w.names->debug_info = true;
		walk_children(&w, cu, "", false, 0);
	}
	if (first) {
		w.names->own = w.names->variables;
		w.names->own_enumerators = w.names->enumerators;
	}
	return DWARF_CB_OK;
}

/*
 * A variable of a library that the program uses lies in the program: ld.so has put a copy there. Looks in the
 * program's own symbols, those of the first module.
 */
static int find_copies(Dwfl_Module *m, void **user, const char *module, Dwarf_Addr start, void *arg)
{
	struct names *names = arg;
	int n = dwfl_module_getsymtab(m);

	(void)user;
	(void)start;
	if (is_heddles(module))
		return DWARF_CB_OK;
	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr at;
		const char *name = dwfl_module_getsym_info(m, i, &sym, &at, NULL, NULL, NULL);

		if (!name || GELF_ST_TYPE(sym.st_info) != STT_OBJECT ||
		    GELF_ST_BIND(sym.st_info) == STB_LOCAL || sym.st_shndx == SHN_UNDEF)
			continue;
		for (size_t k = names->own; k < names->variables; k++) {
			struct variable *v = &names->variable[k];

			if (v->external && !strcmp(v->name, name))
				v->address = at;
		}
	}
	return DWARF_CB_ABORT; /* the first one only */
}

int names_open(struct names *n, pid_t pid, const char *runtime_path, struct problem *p)
{
	memset(n, 0, sizeof(*n));
	n->runtime_path = runtime_path;
	n->dwfl = dwfl_begin(&callbacks);
	if (!n->dwfl || dwfl_linux_proc_report(n->dwfl, pid) || dwfl_report_end(n->dwfl, NULL, NULL)) {
		problem_set(p, "the program's modules cannot be read (%s)", dwfl_errmsg(-1));
		names_close(n);
		return -1;
	}
	dwfl_getmodules(n->dwfl, walk_module, n, 0);
	dwfl_getmodules(n->dwfl, find_copies, n, 0);
	if (!n->out_of_memory)
		return 0;
	names_close(n);
	return problem_set(p, "out of memory");
}

void names_close(struct names *n)
{
	for (size_t i = 0; i < n->variables; i++)
		free(n->variable[i].name);
	for (size_t i = 0; i < n->enumerators; i++)
		free(n->enumerator[i].name);
	free(n->variable);
	free(n->enumerator);
	if (n->dwfl)
		dwfl_end(n->dwfl);
	memset(n, 0, sizeof(*n));
}

/* The whole name, or what stands behind some :: in it. */
static bool ends_in(const char *whole, const char *name)
{
	size_t w = strlen(whole), n = strlen(name);

	return w >= n && !strcmp(whole + w - n, name) && (w == n || whole[w - n - 1] == ':');
}

/* How well a variable fits what was asked for: the lowest rank wins. */
static u32 rank(const struct variable *v, const char *name)
{
	bool whole = !strcmp(v->name, name);

	if (!whole && v->in_function && !strchr(name, ':'))
		return 4;
	return whole ? (v->external ? 0 : 1) : (v->in_function ? 3 : 2);
}

static const char *last_part(const char *name)
{
	const char *at = strrchr(name, ':');

	return at ? at + 1 : name;
}

void suggest(void *suggestion, const char *name)
{
	struct suggestion *s = suggestion;
	struct similar part = s->best;
	const char *word = last_part(s->word);

	similar_try(&s->best, s->word, strlen(s->word), name);
	similar_try(&part, word, strlen(word), last_part(name));
	if (!s->best.word || part.distance < s->best.distance)
		s->best = part.word ? (struct similar){name, part.distance} : part;
}

/* Among these: how many values has it, 0, 1 or several? If it is a whole name, that one is meant. */
static u32 enumerator_values(const struct names *n, size_t from, size_t to, const char *name, u64 *value)
{
	u32 values = 0, exact = 0;

	for (size_t i = from; i < to; i++) {
		const struct enumerator *e = &n->enumerator[i];
		bool whole = !strcmp(e->name, name);

		if (e->gone || !ends_in(e->name, name) || (exact && !whole))
			continue;
		if (whole && !exact)
			values = 0;
		exact += whole;
		values += !values || e->value != *value;
		*value = e->value;
	}
	return values;
}

static int not_found(const struct names *n, const char *file, const char *name, struct problem *p)
{
	struct suggestion s = {name, SIMILAR_NONE};
	char like[160];
	bool elsewhere = false;
	u64 value;

	if (!p)
		return -1;
	if (!n->debug_info)
		return problem_set(p, "the program has no debug information: compile it with -g");
	for (size_t i = 0; i < n->variables; i++) {
		if (i < n->own) /* nobody means a variable that is inside a library */
			suggest(&s, n->variable[i].name);
		elsewhere |= file && ends_in(n->variable[i].name, name);
	}
	for (size_t i = 0; i < n->own_enumerators && !file; i++) {
		if (n->enumerator[i].gone && ends_in(n->enumerator[i].name, name))
			return problem_set(p, "%s is nowhere in the program: it was optimised out", name);
		if (!n->enumerator[i].gone)
			suggest(&s, n->enumerator[i].name);
	}
	if (!file && enumerator_values(n, 0, n->own_enumerators, name, &value) > 1)
		return problem_set(p, "there are several %s with different values: write more of the name",
				   name);
	if (elsewhere)
		return problem_set(p, "%s has no variable %s, but another file has", file, name);
	return problem_set(p, "the program has no global variable %s%s%s%s", name, file ? " in " : "",
			   file ? file : "", similar_text(&s.best, "", like, sizeof(like)));
}

static int ambiguous(const struct variable *a, const struct variable *b, const char *name, struct problem *p)
{
	const char *one = a->file ? a->file : "?", *other = b->file ? b->file : "?";

	if (strcmp(a->name, b->name))
		return problem_set(p, "%s may be %s or %s: write more of the name", name, a->name, b->name);
	return problem_set(p, "there are several %s: write %s:%s or %s:%s", name, one, name, other, name);
}

static bool is_own_constant(const struct names *n, const char *name)
{
	for (size_t i = 0; i < n->own_enumerators; i++)
		if (ends_in(n->enumerator[i].name, name))
			return true;
	return false;
}

int names_variable(const struct names *n, const char *file, const char *name, const struct variable **out,
		   struct problem *p)
{
	const struct variable *best = NULL, *second = NULL;

	for (size_t i = 0; i < n->variables; i++) {
		const struct variable *v = &n->variable[i];

		if (!ends_in(v->name, name) || (file && (!v->file || strcmp(v->file, base_name(file)))))
			continue;
		if (!best || rank(v, name) < rank(best, name)) {
			best = v;
			second = NULL;
		} else if (rank(v, name) == rank(best, name) && v->address != best->address) {
			second = v;
		}
	}
	/* The program's own constant is meant rather than a library's variable. */
	if (!best || (!file && best >= n->variable + n->own && is_own_constant(n, name)))
		return not_found(n, file, name, p);
	if (!p)
		return 0;
	if (second)
		return ambiguous(best, second, name, p);
	if (best->thread_local_)
		return problem_set(p, "%s is thread-local: each thread has its own", name);
	*out = best;
	return 0;
}

bool names_enumerator(const struct names *n, const char *name, u64 *value)
{
	u32 values = enumerator_values(n, 0, n->own_enumerators, name, value);

	return (values ? values : enumerator_values(n, n->own_enumerators, n->enumerators, name, value)) == 1;
}

static bool find_definition(Dwarf_Die *parent, struct type *t, const char *name, int depth)
{
	Dwarf_Die die;
	Dwarf_Word size;

	if (depth > DEEPEST || dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *its = dwarf_diename(&die);

		if (tag == dwarf_tag(&t->die) && its && !strcmp(its, name) &&
		    !dwarf_hasattr(&die, DW_AT_declaration) && !dwarf_aggregate_size(&die, &size)) {
			t->die = die;
			t->size = size;
			return true;
		}
		if ((tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
		    find_definition(&die, t, name, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool names_definition(const struct names *n, struct type *t)
{
	const char *name = dwarf_diename(&t->die);
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	while (name && (cu = dwfl_nextcu(n->dwfl, cu, &bias)))
		if (find_definition(cu, t, name, 0))
			return true;
	return true; /* it stays without members */
}
