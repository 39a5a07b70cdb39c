/*
 * symbols_variables.c: the name of the variable at an address. The ELF symbol says which
 * variable, its DWARF type which element and member: forks[1], pool.queue.lock.
 */
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols_priv.h"

struct type_walk {
	char *out;
	size_t cap, len;
};

static void append(struct type_walk *w, const char *format, ...) HD_PRINTF(2, 3);
static void append(struct type_walk *w, const char *format, ...)
{
	va_list args;
	int n;

	if (w->len >= w->cap)
		return;
	va_start(args, format);
	n = vsnprintf(w->out + w->len, w->cap - w->len, format, args);
	va_end(args);
	if (n > 0)
		w->len += (size_t)n;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/* A synchronisation object of a library: what is inside it means nothing to the user. */
static bool is_opaque(const char *name)
{
	static const char *const whole[] = {
		"sem_t",           "mtx_t",       "cnd_t",        "once_flag",          "mutex",
		"recursive_mutex", "timed_mutex", "shared_mutex", "condition_variable", "FILE"};

	for (size_t i = 0; i < HD_ARRAY_LEN(whole); i++)
		if (name && !strcmp(name, whole[i]))
			return true;
	return name && !strncmp(name, "pthread_", 8);
}

/* Through typedefs and qualifiers to what the type is; false when it is opaque on the way. */
static bool resolve(Dwarf_Die *type)
{
	for (;;) {
		int tag = dwarf_tag(type);

		if (is_opaque(dwarf_diename(type)))
			return false;
		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
		    tag != DW_TAG_atomic_type)
			return true;
		if (!type_of(type, type))
			return false;
	}
}

/* The member that holds `offset`; *offset becomes the one inside it. */
static bool find_member(Dwarf_Die *type, u64 *offset, Dwarf_Die *member)
{
	Dwarf_Die die, of;

	if (dwarf_child(type, &die))
		return false;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word at = 0, size = 0;

		if (dwarf_tag(&die) != DW_TAG_member && dwarf_tag(&die) != DW_TAG_inheritance)
			continue;
		if (dwarf_attr(&die, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &at))
			continue;
		if (!type_of(&die, &of) || dwarf_aggregate_size(&of, &size))
			continue;
		if (*offset >= at && *offset - at < size) {
			*offset -= at;
			*member = die;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Sizes of an array's elements, one per dimension: a[2][3] of int gives 12, 4. */
static size_t array_strides(Dwarf_Die *array, u64 element, u64 *stride, size_t max)
{
	Dwarf_Die die;
	size_t n = 0;
	u64 count[8];

	if (dwarf_child(array, &die))
		return 0;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word v = 0;

		if (dwarf_tag(&die) != DW_TAG_subrange_type || n == max)
			continue;
		if (dwarf_attr(&die, DW_AT_count, &attr) && !dwarf_formudata(&attr, &v))
			count[n++] = v;
		else
			count[n++] = dwarf_attr(&die, DW_AT_upper_bound, &attr) && !dwarf_formudata(&attr, &v)
					     ? v + 1
					     : 0;
	} while (dwarf_siblingof(&die, &die) == 0);
	for (size_t i = n; i-- > 0;) {
		stride[i] = element;
		element *= count[i];
	}
	return n;
}

static bool enter_array(struct type_walk *w, Dwarf_Die *type, u64 *offset)
{
	Dwarf_Die element;
	Dwarf_Word size = 0;
	u64 stride[8];
	size_t n;

	if (!type_of(type, &element) || dwarf_aggregate_size(&element, &size) || size == 0)
		return false;
	n = array_strides(type, size, stride, HD_ARRAY_LEN(stride));
	for (size_t i = 0; i < n && stride[i]; i++) {
		append(w, "[%lu]", *offset / stride[i]);
		*offset %= stride[i];
	}
	*type = element;
	return n > 0;
}

static bool enter_struct(struct type_walk *w, Dwarf_Die *type, u64 *offset)
{
	Dwarf_Die member;

	if (!find_member(type, offset, &member))
		return false;
	/* Base classes and anonymous structs have no name of their own. */
	if (dwarf_tag(&member) == DW_TAG_member && dwarf_diename(&member))
		append(w, ".%s", dwarf_diename(&member));
	return type_of(&member, type);
}

static void describe_inside(struct type_walk *w, Dwarf_Die *type, u64 offset)
{
	for (int depth = 0; depth < 16 && resolve(type); depth++) {
		int tag = dwarf_tag(type);
		bool deeper = false;

		if (tag == DW_TAG_array_type)
			deeper = enter_array(w, type, &offset);
		else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type)
			deeper = enter_struct(w, type, &offset);
		if (!deeper)
			break;
	}
}

/* Is this the variable at `address` (of the file, without bias)? gcc writes the address itself (DW_OP_addr),
   clang in DWARF 5 an index into a table of addresses (DW_OP_addrx). */
static bool lies_at(Dwarf_Die *die, u64 address)
{
	Dwarf_Attribute attr, indexed;
	Dwarf_Addr at;
	Dwarf_Op *op;
	size_t n;

	if (dwarf_tag(die) != DW_TAG_variable || !dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation(&attr, &op, &n) || n != 1)
		return false;
	if (op->atom == DW_OP_addrx)
		return !dwarf_getlocation_attr(&attr, op, &indexed) && !dwarf_formaddr(&indexed, &at) &&
		       at == address;
	return op->atom == DW_OP_addr && op->number == address;
}

/* Namespaces, functions (static locals) and blocks are entered, types are not. */
static bool find_variable(Dwarf_Die *parent, u64 address, Dwarf_Die *found)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (lies_at(&die, address)) {
			*found = die;
			return true;
		}
		if ((tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) &&
		    find_variable(&die, address, found))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool variable_die(const struct symbols_module *m, u64 address, Dwarf_Die *variable)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	while ((cu = dwfl_module_nextcu(m->dwfl, cu, &bias)))
		if (find_variable(cu, address - bias, variable))
			return true;
	return false;
}

/*
 * The variable that covers the address, where the nearest symbol, `name`, is one without a size: a mark of
 * the linker's (__TMC_END__), mostly.
 */
static const char *prefer_sized(const struct symbols_module *m, u64 address, const char *name,
				GElf_Off *offset, GElf_Sym *sym)
{
	int n = dwfl_module_getsymtab(m->dwfl);

	for (int i = 1; i < n; i++) {
		GElf_Sym other;
		GElf_Addr at;
		const char *its = dwfl_module_getsym_info(m->dwfl, i, &other, &at, NULL, NULL, NULL);

		if (!its || GELF_ST_TYPE(other.st_info) != STT_OBJECT || address - at >= other.st_size)
			continue;
		*offset = address - at;
		*sym = other;
		return its;
	}
	return name;
}

/* The ELF symbol of the variable that covers the address; NULL: there is none. */
static const char *symbol_at(const struct symbols_module *m, u64 address, GElf_Off *offset)
{
	GElf_Sym sym;
	const char *name = dwfl_module_addrinfo(m->dwfl, address, offset, &sym, NULL, NULL, NULL);

	if (name && !sym.st_size)
		name = prefer_sized(m, address, name, offset, &sym);
	if (!name || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || (sym.st_size && *offset >= sym.st_size))
		return NULL;
	return name;
}

bool symbols_variable(struct symbols *s, const struct symbols_module *m, u64 address, char *out, size_t cap)
{
	struct type_walk w = {out, cap, 0};
	GElf_Off offset = 0;
	Dwarf_Die variable, type;
	const char *name = symbol_at(m, address, &offset);
	char plain[160];

	(void)s;
	if (!name)
		return false;
	symbols_demangle(name, plain, sizeof(plain));
	append(&w, "%s", plain);
	if (variable_die(m, address - offset, &variable) && type_of(&variable, &type))
		describe_inside(&w, &type, offset);
	else if (offset)
		append(&w, "+0x%lx", offset);
	return true;
}

/* What is declared elsewhere (extern, in a class) and defined here has its line there. */
bool symbols_declared(struct symbols *s, u64 address, char *out, size_t cap)
{
	const struct symbols_module *m = symbols_module_of(s, address);
	GElf_Off offset = 0;
	Dwarf_Die variable;
	int line;

	if (!m || !symbol_at(m, address, &offset) || !variable_die(m, address - offset, &variable) ||
	    dwarf_decl_line(&variable, &line) || !dwarf_decl_file(&variable))
		return false;
	const char *file = dwarf_decl_file(&variable), *slash = strrchr(file, '/');

	snprintf(out, cap, "%s:%d", slash ? slash + 1 : file, line);
	return true;
}
