/* variables_types.c: types from DWARF, flattened into parts that have a name and a value each. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/variables_priv.h"

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

static bool is_wrapper(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_atomic_type || tag == DW_TAG_restrict_type;
}

static bool starts_with(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; name && i < n; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

/* A synchronisation object of a library: what is inside it means nothing to the user. */
static bool is_opaque(const char *name)
{
	static const char *const whole[] = {"sem_t",
					    "mtx_t",
					    "cnd_t",
					    "once_flag",
					    "mutex",
					    "recursive_mutex",
					    "timed_mutex",
					    "recursive_timed_mutex",
					    "shared_mutex",
					    "shared_timed_mutex",
					    "condition_variable",
					    "condition_variable_any",
					    "thread",
					    "jthread",
					    "FILE",
					    "va_list",
					    "Condvar",
					    "Barrier",
					    "Once"};

	return is_one_of(name, whole, HD_ARRAY_LEN(whole)) || starts_with(name, "pthread_") ||
	       starts_with(name, "JoinHandle<");
}

/* Rust's Mutex<T> and RwLock<T>: the lock is opaque, the data in it is not. */
static bool guards_data(const char *name)
{
	return starts_with(name, "Mutex<") || starts_with(name, "RwLock<");
}

bool value_type_strip(Dwarf_Die *type)
{
	while (is_wrapper(dwarf_tag(type)) && !is_opaque(dwarf_diename(type)))
		if (!type_of(type, type))
			return false;
	return true;
}

static bool is_rust(Dwarf_Die *die)
{
	Dwarf_Die cu;

	return dwarf_diecu(die, &cu, NULL, NULL) && dwarf_srclang(&cu) == DW_LANG_Rust;
}

struct flatten {
	struct value_type *to;
	bool rust;
};

static struct value_part *add_part(struct flatten *f, enum part_kind kind, u32 offset, u32 size,
				   const char *path)
{
	struct value_type *t = f->to;

	if (t->parts == VALUE_PARTS)
		return NULL;
	if (t->parts == t->room) {
		u32 room = t->room ? 2 * t->room : 8;
		struct value_part *grown = realloc(t->part, room * sizeof(*grown));

		if (!grown)
			return NULL;
		t->part = grown;
		t->room = room;
	}
	struct value_part *p = &t->part[t->parts];

	*p = (struct value_part){.offset = offset, .size = size, .kind = kind, .path = strdup(path)};
	if (!p->path)
		return NULL;
	t->parts++;
	return p;
}

static void flatten(struct flatten *f, Dwarf_Die type, u32 offset, const char *path, int depth,
		    bool inside_std);

static bool is_character(Dwarf_Die type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding, size;

	return value_type_strip(&type) && dwarf_tag(&type) == DW_TAG_base_type &&
	       !dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attr), &encoding) &&
	       !dwarf_aggregate_size(&type, &size) && size == 1 &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF);
}

static void flatten_base(struct flatten *f, Dwarf_Die *type, u32 offset, u32 size, const char *path)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0;
	enum part_kind kind = PART_UNSIGNED;

	if (dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attr), &encoding))
		return;
	switch (encoding) {
	case DW_ATE_boolean:
		kind = PART_BOOL;
		break;
	case DW_ATE_signed:
		kind = PART_SIGNED;
		break;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		kind = f->rust ? (encoding == DW_ATE_signed_char ? PART_SIGNED : PART_UNSIGNED) : PART_CHAR;
		break;
	case DW_ATE_UTF:
		kind = PART_CHAR;
		break;
	case DW_ATE_float:
		if (size != 4 && size != 8)
			return;
		kind = PART_FLOAT;
		break;
	case DW_ATE_unsigned:
		break;
	default:
		return;
	}
	if (size <= 8)
		add_part(f, kind, offset, size, path);
}

static u64 array_count(Dwarf_Die *array, Dwarf_Die *dimension)
{
	Dwarf_Attribute attr;
	Dwarf_Word v = 0;

	if (dwarf_child(array, dimension) || dwarf_tag(dimension) != DW_TAG_subrange_type)
		return 0;
	if (dwarf_attr(dimension, DW_AT_count, &attr) && !dwarf_formudata(&attr, &v))
		return v;
	return dwarf_attr(dimension, DW_AT_upper_bound, &attr) && !dwarf_formudata(&attr, &v) ? v + 1 : 0;
}

/* Arrays of several dimensions are left out: seldom, and of little use to a reader. */
static void flatten_array(struct flatten *f, Dwarf_Die *type, u32 offset, const char *path, int depth,
			  bool inside_std)
{
	Dwarf_Die element, dimension, second;
	Dwarf_Word size = 0;
	u64 count = array_count(type, &dimension);
	char name[192];

	if (!type_of(type, &element) || dwarf_aggregate_size(&element, &size) || !size || !count)
		return;
	if (dwarf_siblingof(&dimension, &second) == 0)
		return;
	if (is_character(element)) {
		if (!f->rust)
			add_part(f, PART_STRING, offset, (u32)HD_MIN(count, 256), path);
		return;
	}
	for (u64 i = 0; i < count && i < VALUE_ELEMENTS; i++) {
		snprintf(name, sizeof(name), "%s[%lu]", path, i);
		flatten(f, element, offset + (u32)(i * size), name, depth + 1, inside_std);
	}
}

/*
 * Of a library's types only what the user put in is looked at. The members that lead there, without names of
 * their own: Rust's cells, atomics and boxes; libstdc++'s atomics and smart pointers. "size()": how much is
 * in a container.
 */
static bool is_way_in(const char *member)
{
	static const char *const names[] = {"data",          "value",      "v",
					    "pointer",       "ptr",        "__0",
					    "_M_i",          "_M_base",    "_M_b",
					    "_M_ptr",        "_M_t",       "_M_head_impl",
					    "_M_impl",       "_M_h",       "_M_element_count",
					    "_M_node_count", "_M_size",    "_M_string_length",
					    "_M_header",     "c",          "_M_node",
					    "len",           "_M_engaged", "_M_payload",
					    "_M_u",          "_M_value"};

	return is_one_of(member, names, HD_ARRAY_LEN(names));
}

static const char *count_of(const char *member)
{
	static const char *const names[] = {"_M_element_count", "_M_node_count", "_M_size",
					    "_M_string_length"};

	return is_one_of(member, names, HD_ARRAY_LEN(names)) ? ".size()"
	       : member && !strcmp(member, "len")            ? ".len()"
							     : NULL;
}

/* In namespace std (or Rust's crates): DWARF nests entries, and a name tells nothing of its namespace. */
static bool is_of_std(Dwarf_Die *type)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes_die(type, &scopes);
	bool found = false;

	for (int i = 1; i < n && !found; i++) {
		const char *name = dwarf_tag(&scopes[i]) == DW_TAG_namespace ? dwarf_diename(&scopes[i])
									     : NULL;

		found = name && (!strcmp(name, "std") || !strcmp(name, "core") || !strcmp(name, "alloc") ||
				 !strcmp(name, "__gnu_cxx"));
	}
	free(scopes);
	return found;
}

static void flatten_struct(struct flatten *f, Dwarf_Die *type, u32 offset, const char *path, int depth)
{
	bool of_std = is_of_std(type), base = false;
	Dwarf_Die member, of;
	char name[192];

	if (dwarf_child(type, &member))
		return;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word at = 0;
		const char *its = dwarf_diename(&member), *count = of_std ? count_of(its) : NULL;

		base = dwarf_tag(&member) == DW_TAG_inheritance;
		if ((dwarf_tag(&member) != DW_TAG_member && !base) ||
		    dwarf_attr(&member, DW_AT_bit_size, &attr) ||
		    dwarf_attr(&member, DW_AT_data_bit_offset, &attr))
			continue;
		if (!dwarf_attr(&member, DW_AT_data_member_location, &attr)) {
			if (dwarf_tag(type) != DW_TAG_union_type)
				continue; /* static */
		} else if (dwarf_formudata(&attr, &at)) {
			continue;
		}
		if (!type_of(&member, &of) || (of_std && !base && !is_way_in(its)) ||
		    starts_with(its, "_vptr"))
			continue;
		if (of_std && count)
			snprintf(name, sizeof(name), "%s%s", path, count);
		else if (of_std || base || !its)
			snprintf(name, sizeof(name), "%s", path);
		else
			snprintf(name, sizeof(name), "%s.%s", path,
				 starts_with(its, "__") && f->rust ? its + 2 : its);
		flatten(f, of, offset + (u32)at, name, depth + 1, of_std);
	} while (dwarf_siblingof(&member, &member) == 0);
}

static void flatten_pointer(struct flatten *f, Dwarf_Die *type, u32 offset, const char *path, bool inside_std)
{
	const char *name = dwarf_diename(type);
	struct value_part *p = add_part(f, PART_POINTER, offset, 8, path);

	if (!p)
		return;
	p->through = inside_std || starts_with(name, "alloc::boxed::Box<");
	if (!type_of(type, &p->type) || !value_type_strip(&p->type))
		p->type = (Dwarf_Die){0};
}

static void flatten(struct flatten *f, Dwarf_Die type, u32 offset, const char *path, int depth,
		    bool inside_std)
{
	Dwarf_Word size = 0;
	struct value_part *p;

	if (!value_type_strip(&type) || depth > 16 || dwarf_aggregate_size(&type, &size) || !size ||
	    size > (1u << 24))
		return;
	const char *name = dwarf_diename(&type);

	if (is_opaque(name) || guards_data(name)) {
		p = add_part(f, PART_OPAQUE, offset, (u32)size, path);
		if (p)
			p->type = type;
		if (!p || is_opaque(name))
			return;
	}
	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
		flatten_base(f, &type, offset, (u32)size, path);
		break;
	case DW_TAG_enumeration_type:
		p = size <= 8 ? add_part(f, PART_ENUM, offset, (u32)size, path) : NULL;
		if (p)
			p->type = type;
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		flatten_pointer(f, &type, offset, path, inside_std);
		break;
	case DW_TAG_array_type:
		flatten_array(f, &type, offset, path, depth, inside_std);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		flatten_struct(f, &type, offset, path, depth);
		break;
	default:
		break;
	}
}

const struct value_type *value_type_of(struct value_types *t, Dwarf_Die *die)
{
	Dwarf_Word size = 0;
	struct flatten f = {0};

	for (size_t i = 0; i < t->n; i++)
		if (t->type[i]->key == die->addr)
			return t->type[i];
	if (dwarf_aggregate_size(die, &size) || !size || size > (1u << 20))
		return NULL;
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct value_type **grown = realloc(t->type, room * sizeof(struct value_type *));

		if (!grown)
			return NULL;
		t->type = grown;
		t->room = room;
	}
	f.to = calloc(1, sizeof(*f.to));
	if (!f.to)
		return NULL;
	f.rust = is_rust(die);
	f.to->key = die->addr;
	f.to->size = (u32)size;
	f.to->rust = f.rust;
	flatten(&f, *die, 0, "", 0, false);
	t->type[t->n++] = f.to;
	return f.to;
}

void value_types_free(struct value_types *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (u32 k = 0; k < t->type[i]->parts; k++)
			free(t->type[i]->part[k].path);
		free(t->type[i]->part);
		free(t->type[i]);
	}
	free(t->type);
	*t = (struct value_types){0};
}
