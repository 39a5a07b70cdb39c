/* variables_text.c: values in words. */
#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "report/variables_priv.h"

#define TEXT_SHOWN 40

static u64 number_of(const u8 *bytes, u32 size)
{
	u64 n = 0;

	memcpy(&n, bytes, HD_MIN(size, (u32)sizeof(n)));
	return n;
}

static long signed_of(const u8 *bytes, u32 size)
{
	u64 n = number_of(bytes, size);
	unsigned unused = 64 - 8 * HD_MIN(size, 8u);

	return (long)(n << unused) >> unused;
}

/* In quotes, what is no plain character as \x..; cut when it is long. */
static void quote(const u8 *bytes, size_t n, char *out, size_t cap)
{
	size_t at = 0;

	if (cap < 16)
		return;
	out[at++] = '"';
	for (size_t i = 0; i < n && bytes[i]; i++) {
		if (i == TEXT_SHOWN || at + 12 > cap) {
			at += (size_t)snprintf(out + at, cap - at, "…");
			break;
		}
		if (bytes[i] == '\n')
			at += (size_t)snprintf(out + at, cap - at, "\\n");
		else if (bytes[i] < ' ' || bytes[i] >= 127 || bytes[i] == '"' || bytes[i] == '\\')
			at += (size_t)snprintf(out + at, cap - at, "\\x%02x", bytes[i]);
		else
			out[at++] = (char)bytes[i];
	}
	snprintf(out + at, cap - at, "\"");
}

static void character_text(const u8 *bytes, u32 size, char *out, size_t cap)
{
	u64 n = number_of(bytes, size);

	if (n >= ' ' && n < 127)
		snprintf(out, cap, "'%c'", (int)n);
	else
		snprintf(out, cap, "%ld", size == 1 ? (long)signed_of(bytes, size) : (long)n);
}

static void enum_text(Dwarf_Die type, const u8 *bytes, u32 size, char *out, size_t cap)
{
	u64 n = number_of(bytes, size);
	Dwarf_Die die;

	if (dwarf_child(&type, &die) == 0) {
		do {
			Dwarf_Attribute attr;
			Dwarf_Word value;

			if (dwarf_tag(&die) != DW_TAG_enumerator || !dwarf_diename(&die) ||
			    dwarf_formudata(dwarf_attr(&die, DW_AT_const_value, &attr), &value))
				continue;
			if (number_of((const u8 *)&value, size) == n) {
				snprintf(out, cap, "%s", dwarf_diename(&die));
				return;
			}
		} while (dwarf_siblingof(&die, &die) == 0);
	}
	snprintf(out, cap, "%ld", (long)signed_of(bytes, size));
}

static bool points_to_text(Dwarf_Die type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	return type.addr && dwarf_tag(&type) == DW_TAG_base_type &&
	       !dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attr), &encoding) &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

static void pointer_text(struct symbols *s, const struct value_part *p, u64 to, char *out, size_t cap)
{
	u8 text[TEXT_SHOWN + 2] = {0};
	Dwarf_Die type = p->type;

	if (!to) {
		snprintf(out, cap, "NULL");
	} else if (points_to_text(type) && symbols_peek(s, to, text, sizeof(text) - 1)) {
		quote(text, sizeof(text), out, cap);
	} else if (type.addr && dwarf_tag(&type) == DW_TAG_subroutine_type) {
		symbols_name(s, to, out, cap);
	} else {
		snprintf(out, cap, "0x%lx", to);
	}
}

void value_text(struct symbols *s, const struct value_part *p, const u8 *bytes, char *out, size_t cap)
{
	float single;
	double twice;

	out[0] = 0;
	switch (p->kind) {
	case PART_SIGNED:
		snprintf(out, cap, "%ld", (long)signed_of(bytes, p->size));
		break;
	case PART_UNSIGNED:
		snprintf(out, cap, "%lu", number_of(bytes, p->size));
		break;
	case PART_BOOL:
		snprintf(out, cap, "%s", number_of(bytes, p->size) ? "true" : "false");
		break;
	case PART_CHAR:
		character_text(bytes, p->size, out, cap);
		break;
	case PART_FLOAT:
		memcpy(&single, bytes, sizeof(single));
		if (p->size == sizeof(twice))
			memcpy(&twice, bytes, sizeof(twice));
		snprintf(out, cap, "%g", p->size == sizeof(twice) ? twice : (double)single);
		break;
	case PART_POINTER:
		pointer_text(s, p, number_of(bytes, 8), out, cap);
		break;
	case PART_ENUM:
		enum_text(p->type, bytes, p->size, out, cap);
		break;
	case PART_STRING:
		quote(bytes, p->size, out, cap);
		break;
	case PART_OPAQUE:
		break;
	}
}
