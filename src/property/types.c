#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "property/property_priv.h"

/* Damaged debug information may go in circles. */
#define DEEPEST 32

static bool next_type(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, out);
}

static bool number_attr(Dwarf_Die *die, unsigned name, u64 *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &v))
		return false;
	*out = v;
	return true;
}

static void base_type(struct type *t)
{
	u64 encoding = 0;

	number_attr(&t->die, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_boolean:
		t->kind = TYPE_BOOL;
		break;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		t->kind = TYPE_CHAR;
		break;
	case DW_ATE_signed:
	case DW_ATE_unsigned:
	case DW_ATE_UTF:
		t->kind = TYPE_INTEGER;
		break;
	case DW_ATE_float:
		t->kind = t->size <= sizeof(double) ? TYPE_FLOAT : TYPE_OTHER;
		return;
	default:
		t->kind = TYPE_OTHER;
	}
	t->sign = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (t->size > sizeof(u64) || (t->size & (t->size - 1)))
		t->kind = TYPE_OTHER;
}

/* The n-th dimension's number of elements; false: the array has no such. */
static bool dimension(Dwarf_Die *array, u32 n, u64 *count)
{
	Dwarf_Die die;
	u64 lower = 0;

	if (dwarf_child(array, &die))
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type && dwarf_tag(&die) != DW_TAG_enumeration_type)
			continue;
		if (n--)
			continue;
		*count = 0;
		number_attr(&die, DW_AT_lower_bound, &lower);
		if (!number_attr(&die, DW_AT_count, count) && number_attr(&die, DW_AT_upper_bound, count))
			*count = *count == UINT64_MAX ? 0 : *count + 1 - lower;
		return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static void array_type(struct type *t)
{
	struct type element;
	u64 inner = 1, count;

	t->kind = TYPE_ARRAY;
	if (!dimension(&t->die, t->dimension, &t->count) || !type_of(&t->die, &element)) {
		t->kind = TYPE_OTHER;
		return;
	}
	for (u32 i = t->dimension + 1; dimension(&t->die, i, &count); i++)
		inner *= count;
	t->size = t->count * inner * element.size;
}

static void enum_type(struct type *t)
{
	struct type of;

	t->kind = TYPE_ENUM;
	t->sign = false;
	if (type_of(&t->die, &of) && (of.kind == TYPE_INTEGER || of.kind == TYPE_CHAR))
		t->sign = of.sign;
}

static void settle(struct type *t)
{
	Dwarf_Word size = 0;

	t->size = dwarf_aggregate_size(&t->die, &size) == 0 ? size : 0;
	switch (dwarf_tag(&t->die)) {
	case DW_TAG_base_type:
		base_type(t);
		break;
	case DW_TAG_enumeration_type:
		enum_type(t);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		t->kind = TYPE_POINTER;
		t->size = sizeof(u64);
		break;
	case DW_TAG_array_type:
		array_type(t);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		t->kind = TYPE_STRUCT;
		break;
	default:
		t->kind = TYPE_OTHER;
	}
}

static bool strip(Dwarf_Die *die)
{
	for (int i = 0; i < DEEPEST; i++) {
		switch (dwarf_tag(die)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
		case DW_TAG_restrict_type:
			if (!next_type(die, die))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

bool type_of(Dwarf_Die *die, struct type *out)
{
	memset(out, 0, sizeof(*out));
	if (!next_type(die, &out->die) || !strip(&out->die))
		return false;
	settle(out);
	return true;
}

bool type_element(const struct names *names, const struct type *t, struct type *out)
{
	u64 count;

	*out = *t;
	if (t->by_address) {
		out->by_address = false;
		settle(out);
		return true;
	}
	if (t->kind == TYPE_ARRAY && dimension(&out->die, t->dimension + 1, &count)) {
		out->dimension++;
		array_type(out);
		return true;
	}
	if ((t->kind != TYPE_ARRAY && t->kind != TYPE_POINTER) || !type_of((Dwarf_Die *)&t->die, out))
		return false;
	if (out->kind == TYPE_STRUCT && dwarf_hasattr(&out->die, DW_AT_declaration))
		return names_definition(names, out);
	return true;
}

/* As DWARF 4 says it, from the lowest bit of the struct; or as gcc used to, from the highest of a word. */
static void bit_field(Dwarf_Die *die, struct member *out)
{
	u64 size = 0, at, storage = out->type.size;

	if (!number_attr(die, DW_AT_bit_size, &size) || !size)
		return;
	out->bit_size = (u32)size;
	if (number_attr(die, DW_AT_data_bit_offset, &at)) {
		out->offset += at / 8;
		out->bit_offset = (u32)(at % 8);
	} else if (number_attr(die, DW_AT_bit_offset, &at)) {
		number_attr(die, DW_AT_byte_size, &storage);
		out->bit_offset = (u32)(storage * 8 - at - size);
		out->offset += out->bit_offset / 8;
		out->bit_offset %= 8;
	}
}

static bool read_member(Dwarf_Die *die, struct member *out)
{
	memset(out, 0, sizeof(*out));
	if (!type_of(die, &out->type))
		return false;
	number_attr(die, DW_AT_data_member_location, &out->offset);
	if (dwarf_tag(die) == DW_TAG_member)
		bit_field(die, out);
	return true;
}

static bool is_member(Dwarf_Die *die)
{
	return (dwarf_tag(die) == DW_TAG_member || dwarf_tag(die) == DW_TAG_inheritance) &&
	       !dwarf_hasattr(die, DW_AT_external) && !dwarf_hasattr(die, DW_AT_declaration);
}

/* What lies in a nameless struct or union, or in a base class, counts as the struct's own. */
static bool find_member(const struct type *t, const char *name, struct member *out, int depth)
{
	Dwarf_Die die;

	if (depth > DEEPEST || t->kind != TYPE_STRUCT || dwarf_child((Dwarf_Die *)&t->die, &die))
		return false;
	do {
		const char *its = dwarf_diename(&die);
		struct member m, inner;

		if (!is_member(&die) || !read_member(&die, &m))
			continue;
		if (its && dwarf_tag(&die) == DW_TAG_member) {
			if (strcmp(its, name))
				continue;
			*out = m;
			return true;
		}
		if (!find_member(&m.type, name, &inner, depth + 1))
			continue;
		*out = inner;
		out->offset += m.offset;
		return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool type_member(const struct type *t, const char *name, struct member *out)
{
	return find_member(t, name, out, 0);
}

bool type_only_member(const struct type *t, struct member *out)
{
	Dwarf_Die die;
	u32 n = 0;

	if (t->kind != TYPE_STRUCT || dwarf_tag((Dwarf_Die *)&t->die) == DW_TAG_union_type ||
	    dwarf_child((Dwarf_Die *)&t->die, &die))
		return false;
	do {
		struct member m;

		if (!is_member(&die) || !read_member(&die, &m) || !m.type.size)
			continue;
		*out = m;
		n++;
	} while (dwarf_siblingof(&die, &die) == 0);
	return n == 1 && out->type.size == t->size;
}

void type_each_member(const struct type *t, void (*each)(void *self, const char *name), void *self)
{
	Dwarf_Die die;

	if (t->kind != TYPE_STRUCT || dwarf_child((Dwarf_Die *)&t->die, &die))
		return;
	do
		if (is_member(&die) && dwarf_diename(&die))
			each(self, dwarf_diename(&die));
	while (dwarf_siblingof(&die, &die) == 0);
}

void type_each_enumerator(const struct type *t, void (*each)(void *self, const char *name, u64 value),
			  void *self)
{
	Dwarf_Die die;

	if (dwarf_tag((Dwarf_Die *)&t->die) != DW_TAG_enumeration_type ||
	    dwarf_child((Dwarf_Die *)&t->die, &die))
		return;
	do {
		Dwarf_Attribute attr;
		Dwarf_Sword v;

		if (dwarf_tag(&die) == DW_TAG_enumerator && dwarf_diename(&die) &&
		    dwarf_attr(&die, DW_AT_const_value, &attr) && !dwarf_formsdata(&attr, &v))
			each(self, dwarf_diename(&die), (u64)v);
	} while (dwarf_siblingof(&die, &die) == 0);
}

const char *type_name(const struct type *t, char *buf, size_t cap)
{
	static const char *const kinds[] = {
		"something that cannot be read", "an integer", "a boolean", "a character", "an enumeration",
		"a floating-point number",       "a pointer",  "an array",  "a struct"};
	const char *name = t->die.addr ? dwarf_diename((Dwarf_Die *)&t->die) : NULL;

	snprintf(buf, cap, "%s%s%s%s", kinds[t->kind], name ? " (" : "", name ? name : "", name ? ")" : "");
	return buf;
}
