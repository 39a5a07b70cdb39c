/*
 * forge.c: a search script, or a part of one, with something changed in it, and with checksums that fit: what a
 * producer with bad intentions would send.
 *
 *   forge SCRIPT OTHER SEED OUTPUT       prints what was changed. OTHER: a script of another program
 *
 * Case n depends on the seed alone. In place of a seed: GROUP:KEY:NUMBER of the index.
 */
#include <stdlib.h>
#include <string.h>

#include "script/part.h"

#define MOST_CHUNKS 4096

struct forger {
	struct container_in in, other;
	struct container_out out;
	json_t *index;
	u64 random_state;
	u32 chunks, forged; /* the chunk that is changed; 0: none */
	char what[200];
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "forge: %s\n", what);
	exit(2);
}

static u32 draw(struct forger *f, u64 below)
{
	f->random_state = f->random_state * 6364136223846793005ull + 1442695040888963407ull;
	return below ? (u32)((f->random_state >> 33) % below) : 0;
}

/* ---- bytes ---- */

static void remove_bytes(struct byte_buffer *b, size_t at, size_t n)
{
	memmove(b->data + at, b->data + at + n, b->len - at - n);
	b->len -= n;
}

/* unit: what a record of the chunk is made of. */
static void change_bytes(struct forger *f, struct byte_buffer *b, size_t unit)
{
	u8 copy[64];
	size_t records = b->len / unit, at = unit * draw(f, records), to = unit * draw(f, records);
	size_t n = unit * (1 + draw(f, 4));

	n = n > b->len - at ? b->len - at : n;
	memcpy(copy, b->data ? b->data + at : copy, b->data ? n : 0);
	switch (records ? draw(f, 7) : 1) {
	case 0:
		remove_bytes(b, at, n);
		break;
	case 1:
		for (size_t i = 0; i < unit; i++)
			bytes_put(b, (u8)draw(f, 8));
		break;
	case 2: /* twice */
		bytes_add(b, copy, n);
		break;
	case 3: /* exchanged */
		memcpy(b->data + at, b->data + to, unit);
		memcpy(b->data + to, copy, unit);
		break;
	case 4:
		b->data[at] = (u8)(b->data[at] + (draw(f, 2) ? 1 : -1));
		break;
	case 5:
		b->data[at + draw(f, unit)] ^= (u8)(1u << draw(f, 8));
		break;
	default:
		b->len = at;
	}
}

/* A chunk is copied, and its place in the index with it. */
static json_t *copy_chunk(struct forger *f, const struct container_in *from, const json_t *at, size_t unit)
{
	struct byte_buffer b = {0};
	struct problem p;

	if (container_read(from, at, &b, &p))
		fail(p.text);
	if (++f->chunks == f->forged)
		change_bytes(f, &b, unit);
	json_t *place = container_add(&f->out, b.data, b.len, &p);
	if (!place)
		fail(p.text);
	bytes_free(&b);
	return place;
}

static bool is_chunk(const json_t *j)
{
	return json_array_size(j) == 4 && json_is_integer(json_array_get(j, 0)) &&
	       json_is_integer(json_array_get(j, 2)) && json_is_string(json_array_get(j, 3));
}

static void copy_chunks(struct forger *f, const struct container_in *from, json_t *j, size_t unit)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_object(j)) {
		json_object_foreach(j, key, value)
		{
			size_t records = !strcmp(key, "words") ? sizeof(u32) : !strcmp(key, "facts") ? 8 : 1;
			if (is_chunk(value))
				json_object_set_new(j, key, copy_chunk(f, from, value, records));
			else
				copy_chunks(f, from, value, records);
		}
	} else if (json_is_array(j)) {
		json_array_foreach(j, i, value) if (is_chunk(value))
			json_array_set_new(j, i, copy_chunk(f, from, value, unit));
		else copy_chunks(f, from, value, unit);
	}
}

/* ---- the index ---- */

/* Of all values below j, the one at place *n; with the container that it is in. */
static bool change_value(struct forger *f, json_t *j, u32 *n)
{
	const char *key;
	json_t *value, *changed;
	void *next;
	size_t i = 0;

	json_object_foreach_safe(j, next, key, value)
	{
		if (json_is_object(value) || (json_is_array(value) && json_array_size(value))) {
			if (change_value(f, value, n))
				return true;
			continue;
		}
		if ((*n)--)
			continue;
		snprintf(f->what, sizeof(f->what), "index: %s", key);
		changed = json_is_boolean(value) ? json_boolean(!json_is_true(value))
			  : json_is_integer(value)
				  ? json_integer(json_integer_value(value) + 1 - 2 * draw(f, 2))
			  : json_is_array(value) ? json_pack("[i]", draw(f, 4))
						 : json_string(draw(f, 2) ? "0x1" : "");
		json_object_set_new(j, key, changed);
		return true;
	}
	for (; i < json_array_size(j); i++) {
		value = json_array_get(j, i);
		if (json_is_object(value) || (json_is_array(value) && json_array_size(value))) {
			if (change_value(f, value, n))
				return true;
			continue;
		}
		if ((*n)--)
			continue;
		snprintf(f->what, sizeof(f->what), "index: an element");
		if (json_is_integer(value) && draw(f, 2))
			json_array_set_new(j, i, json_integer(json_integer_value(value) + 1));
		else
			json_array_remove(j, i);
		return true;
	}
	return false;
}

static void change_index(struct forger *f)
{
	static const char *const group[] = {"config", "learnt", "config", "learnt", NULL};
	const char *name = group[draw(f, HD_ARRAY_LEN(group))];
	json_t *from = name ? json_object_get(f->index, name) : f->index;

	for (u32 i = draw(f, 24); !change_value(f, from, &i);)
		;
}

/* Blocks, or the words of a part: dropped, twice, or those of another file. */
static void change_blocks(struct forger *f)
{
	json_t *list = json_object_get(f->index, "blocks");
	json_t *theirs = json_object_get(f->other.index, "blocks");

	if (!list)
		list = json_object_get(f->index, "words");
	size_t n = json_array_size(list);
	switch (draw(f, 3)) {
	case 0:
		json_array_remove(list, draw(f, n));
		break;
	case 1:
		json_array_insert(list, draw(f, n + 1), json_array_get(list, draw(f, n)));
		break;
	default:
		theirs = json_deep_copy(theirs);
		copy_chunks(f, &f->other, theirs, 1);
		json_object_set_new(f->index, "blocks", theirs);
	}
	snprintf(f->what, sizeof(f->what), "blocks");
}

/* What the file says of itself is that of the other one. */
static void swap_members(struct forger *f)
{
	static const char *const name[] = {"identity",    "program", "learnt", "config", "modules",
					   "environment", "states",  "kind",   "script", "parts"};
	const char *key = name[draw(f, HD_ARRAY_LEN(name))];
	json_t *theirs = json_object_get(f->other.index, key);

	snprintf(f->what, sizeof(f->what), "%s of another script", key);
	if (theirs)
		json_object_set(f->index, key, theirs);
	else
		json_object_del(f->index, key);
}

/* What is asked for by name. False: it is a seed. */
static bool set_member(struct forger *f, const char *wanted)
{
	char group[32], key[32];
	int number;

	if (sscanf(wanted, "%31[a-z_]:%31[a-z_]:%d", group, key, &number) != 3)
		return false;
	json_object_set_new(json_object_get(f->index, group), key, json_integer(number));
	snprintf(f->what, sizeof(f->what), "%s", wanted);
	return true;
}

static void open_any(struct container_in *c, const char *path)
{
	struct problem p;

	if (container_open(c, path, SCRIPT_MAGIC, SCRIPT_VERSION, &p) &&
	    container_open(c, path, PART_MAGIC, PART_VERSION, &p))
		fail(p.text);
}

int main(int argc, char **argv)
{
	static struct forger f;
	struct problem p;
	u64 size;

	if (argc != 5)
		fail("usage: forge SCRIPT OTHER SEED OUTPUT");
	open_any(&f.in, argv[1]);
	open_any(&f.other, argv[2]);
	f.random_state = strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
	if (container_create(&f.out, argv[4], &p))
		fail(p.text);
	draw(&f, 1);
	f.index = json_deep_copy(f.in.index);
	u32 kind = set_member(&f, argv[3]) ? 8 : draw(&f, 8);
	if (kind < 4) { /* some chunk of those that are there */
		u32 blocks = (u32)json_array_size(json_object_get(f.index, "blocks"));
		f.forged = 1 + draw(&f, HD_MIN(MOST_CHUNKS, 8 * blocks + 3));
		snprintf(f.what, sizeof(f.what), "chunk %u", f.forged);
	}
	copy_chunks(&f, &f.in, f.index, 1);
	if (kind == 4 || kind == 5)
		change_index(&f);
	else if (kind == 6)
		change_blocks(&f);
	else if (kind == 7)
		swap_members(&f);
	if (container_end(&f.out, f.index, &size, &p))
		fail(p.text);
	printf("%s\n", f.what);
	container_close(&f.in);
	container_close(&f.other);
	return 0;
}
