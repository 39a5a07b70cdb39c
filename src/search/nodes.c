/*
 * Nodes come and go with all sizes of deltas. Sizes are rounded up to classes,
 * four to each doubling (at most a fifth is lost); a class has a list of free nodes; new ones are cut from
 * chunks, which live as long as the search.
 */
#include "search/nodes.h"

#include "base/pages.h"

#define CHUNK (1u << 20)

struct node_chunk {
	struct node_chunk *next;
	size_t bytes;
};

/* The smallest class that holds `bytes`: 4 per doubling, from 64 bytes on. */
static u32 class_of(size_t bytes)
{
	if (bytes <= 64)
		return 0;
	u32 log = 63 - (u32)__builtin_clzll(bytes - 1);
	u32 quarter = (u32)((bytes - 1) >> (log - 2)) & 3;
	return (log - 6) * 4 + quarter + 1;
}

static size_t class_size(u32 class)
{
	return class ? (size_t)(4 + (class - 1) % 4 + 1) << ((class - 1) / 4 + 4) : 64;
}

static bool add_chunk(struct nodes *all, size_t at_least)
{
	size_t bytes = HD_MAX((size_t)CHUNK, HD_ROUND_UP(at_least + sizeof(struct node_chunk), HD_PAGE));
	struct node_chunk *c = pages_map(bytes);
	if (!c)
		return false;
	*c = (struct node_chunk){.next = all->chunks, .bytes = bytes};
	all->chunks = c;
	all->chunk = (char *)(c + 1);
	all->chunk_end = (char *)c + bytes;
	all->bytes += bytes;
	return true;
}

static struct node *take(struct nodes *all, u32 class)
{
	struct node *n = all->free[class];
	if (n) {
		all->free[class] = n->next;
		return n;
	}
	size_t size = class_size(class);
	if ((size_t)(all->chunk_end - all->chunk) < size && !add_chunk(all, size))
		return NULL;
	n = (struct node *)all->chunk;
	all->chunk += size;
	return n;
}

struct node *node_new(struct nodes *all, struct node *parent, u32 action, size_t delta_size)
{
	u32 class = class_of(sizeof(struct node) + delta_size);
	hd_assert(class < NODE_CLASSES);
	struct node *n = take(all, class);
	if (!n)
		return NULL;
	*n = (struct node){.parent = parent, .action = action, .refs = 1, .size_class = class};
	if (parent) {
		n->depth = parent->depth + 1;
		parent->refs++;
	}
	return n;
}

void node_put(struct nodes *all, struct node *n)
{
	while (n && --n->refs == 0) {
		struct node *parent = n->parent;
		n->next = all->free[n->size_class];
		all->free[n->size_class] = n;
		n = parent;
	}
}

void nodes_free(struct nodes *all)
{
	for (struct node_chunk *c = all->chunks, *next; c; c = next) {
		next = c->next;
		pages_unmap(c, c->bytes);
	}
	*all = (struct nodes){0};
}
