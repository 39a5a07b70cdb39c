/*
 * functions.c: reads .eh_frame_hdr, the sorted index of .eh_frame:
 *
 *   .eh_frame_hdr   version, 3 encodings, address of .eh_frame, count, (function, FDE) pairs, 32 bits each
 *   FDE             length, distance back to its CIE, start of the function, its size, …
 *   CIE             says in its augmentation ("zPLR") how the FDE's addresses are encoded
 *
 * Only the encodings that compilers use here are known; an FDE in another one is left out.
 */
#include "launch/functions.h"

#include <stdlib.h>
#include <string.h>

#define ENC_UDATA4 0x03
#define ENC_SDATA4 0x0b
#define ENC_PCREL_SDATA4 0x1b
#define ENC_DATAREL_SDATA4 0x3b
#define ENC_SIZE_MASK 0x07
#define HEADER_BYTES 12
#define CIE_MAX 64 /* of its bytes that matter */

struct cursor {
	const u8 *at, *end;
	bool bad;
};

static u8 take(struct cursor *c)
{
	if (c->at >= c->end) {
		c->bad = true;
		return 0;
	}
	return *c->at++;
}

/* Of either sign: the value does not matter, its length does. */
static void skip_leb(struct cursor *c)
{
	while (take(c) & 0x80)
		;
}

static u32 u32_at(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void skip_pointer(struct cursor *c, u8 encoding)
{
	static const u8 size[] = {8, 0, 2, 4, 8, 0, 0, 0};
	u8 n = size[encoding & ENC_SIZE_MASK];

	c->bad = c->bad || !n;
	while (n-- && !c->bad)
		take(c);
}

/* How addresses in the CIE's FDEs are encoded; 0: unknown. */
static u8 fde_encoding(const struct elf_image *im, u64 cie)
{
	const u8 *p = elf_image_at(im, cie, CIE_MAX);
	struct cursor c = {p ? p + 9 : NULL, p ? p + CIE_MAX : NULL, !p};
	const char *letter;

	if (!p || u32_at(p + 4) != 0 || (p[8] != 1 && p[8] != 3) || p[9] != 'z')
		return 0;
	letter = (const char *)p + 10;
	while (take(&c))
		;
	skip_leb(&c);
	skip_leb(&c);
	skip_leb(&c);
	skip_leb(&c);
	for (; *letter && !c.bad; letter++) {
		u8 encoding = *letter == 'S' || *letter == 'B' ? 0 : take(&c);

		if (*letter == 'R')
			return c.bad ? 0 : encoding;
		if (*letter == 'P')
			skip_pointer(&c, encoding);
		else if (*letter != 'L' && *letter != 'S')
			return 0;
	}
	return 0;
}

static bool read_fde(const struct elf_image *im, u64 fde, struct function *out)
{
	const u8 *p = elf_image_at(im, fde, 16);
	u8 encoding;

	if (!p || u32_at(p) < 12 || u32_at(p) >= 0xfffffff0u)
		return false;
	encoding = fde_encoding(im, fde + 4 - u32_at(p + 4));
	if (encoding == ENC_PCREL_SDATA4)
		out->start = fde + 8 + (u64)(int)u32_at(p + 8);
	else if (encoding == ENC_UDATA4 || encoding == ENC_SDATA4)
		out->start = u32_at(p + 8);
	else
		return false;
	out->size = u32_at(p + 12);
	return out->size && elf_image_executable(im, out->start, out->size);
}

/* A table that contradicts itself is not believed where it does. */
static void drop_overlaps(struct functions *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct function *last = kept ? &f->list[kept - 1] : NULL;

		if (!last || f->list[i].start >= last->start + last->size)
			f->list[kept++] = f->list[i];
	}
	f->count = kept;
}

static int by_start(const void *a, const void *b)
{
	u64 x = ((const struct function *)a)->start, y = ((const struct function *)b)->start;

	return x < y ? -1 : x > y;
}

int functions_read(const struct elf_image *im, struct functions *out)
{
	const Elf64_Phdr *ph = elf_image_segment(im, PT_GNU_EH_FRAME);
	const u8 *h = ph ? elf_image_at(im, ph->p_vaddr, HEADER_BYTES) : NULL, *table;
	u32 count;

	memset(out, 0, sizeof(*out));
	if (!h || h[0] != 1 || h[2] != ENC_UDATA4 || h[3] != ENC_DATAREL_SDATA4)
		return 0;
	count = u32_at(h + 8);
	table = elf_image_at(im, ph->p_vaddr + HEADER_BYTES, (u64)count * 8);
	if (!table)
		return 0;
	out->list = calloc((size_t)count + 1, sizeof(*out->list));
	if (!out->list)
		return -1;
	for (u32 i = 0; i < count; i++)
		if (read_fde(im, ph->p_vaddr + (u64)(int)u32_at(table + 8 * i + 4), &out->list[out->count]))
			out->count++;
	qsort(out->list, out->count, sizeof(*out->list), by_start);
	drop_overlaps(out);
	return 0;
}

void functions_free(struct functions *f)
{
	free(f->list);
	memset(f, 0, sizeof(*f));
}
