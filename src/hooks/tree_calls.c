/*
 * tree_calls.c: the red-black trees under std::map and std::set. libstdc++ has their rebalancing and their
 * iteration in its library, where nobody sees which nodes they touch; so they are done here, access by
 * access. The trees are of the library's form, and any code that knows that form can go on with them:
 *
 * 1. The header's parent is the root, its left and right are the first and the last node; the root's parent
 *    is the header. An empty tree's header has no parent, and is its own left and right.
 * 2. The header is red, the root black. So a red node that is its grandparent is the header.
 * 3. A red node has no red child; all ways from a node down have the same number of black nodes.
 */
#include "hooks/tell.h"

enum { RED, BLACK };

struct tree_node {
	int colour;
	struct tree_node *parent, *child[2]; /* left, right */
};

/* ---- from node to node ---- */

HELPER struct tree_node *outermost(struct tree_node *n, int side, const void *pc)
{
	for (struct tree_node *next; (next = TELL_GET(n->child[side]));)
		n = next;
	return n;
}

/* The next one in the direction of `side`. */
HELPER struct tree_node *neighbour(struct tree_node *n, int side, const void *pc)
{
	struct tree_node *below = TELL_GET(n->child[side]);

	if (below)
		return outermost(below, !side, pc);
	struct tree_node *above = TELL_GET(n->parent);
	while (n == TELL_GET(above->child[side])) {
		n = above;
		above = TELL_GET(above->parent);
	}
	/* Where the root is the last one, the header's child is the root itself: n is the header now. */
	return TELL_GET(n->child[side]) == above ? n : above;
}

HELPER struct tree_node *before(struct tree_node *n, const void *pc)
{
	if (TELL_GET(n->colour) == RED) {
		struct tree_node *above = TELL_GET(n->parent);
		if (TELL_GET(above->parent) == n)
			return TELL_GET(n->child[1]); /* the header: behind the last one */
	}
	return neighbour(n, 0, pc);
}

#define STEP(name, ...) \
	HOOK_WEAK struct tree_node *__wrap_##name(struct tree_node *n); \
	HOOK_WEAK struct tree_node *__wrap_##name(struct tree_node *n) \
	{ \
		return __VA_ARGS__; \
	}
STEP(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, neighbour(n, 1, HERE))
STEP(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, neighbour(n, 1, HERE))
STEP(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, before(n, HERE))
STEP(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, before(n, HERE))

/* ---- changes ---- */

/* `with` takes the place of n below n's parent. */
HELPER void replace(struct tree_node *header, struct tree_node *n, struct tree_node *with, const void *pc)
{
	struct tree_node *above = TELL_GET(n->parent);

	if (TELL_GET(header->parent) == n)
		TELL_SET(header->parent, with);
	else
		TELL_SET(above->child[TELL_GET(above->child[1]) == n], with);
}

/* n goes down to `side`, its child on the other side comes up. */
HELPER void rotate(struct tree_node *header, struct tree_node *n, int side, const void *pc)
{
	struct tree_node *up = TELL_GET(n->child[!side]), *between = TELL_GET(up->child[side]);

	TELL_SET(n->child[!side], between);
	if (between)
		TELL_SET(between->parent, n);
	TELL_SET(up->parent, TELL_GET(n->parent));
	replace(header, n, up, pc);
	TELL_SET(up->child[side], n);
	TELL_SET(n->parent, up);
}

/* n is red; so may be its parent. */
HELPER void mend_red(struct tree_node *header, struct tree_node *n, const void *pc)
{
	while (TELL_GET(header->parent) != n) {
		struct tree_node *parent = TELL_GET(n->parent);
		if (TELL_GET(parent->colour) == BLACK)
			return;
		struct tree_node *grand = TELL_GET(parent->parent); /* a red parent is not the root */
		int side = TELL_GET(grand->child[1]) == parent;
		struct tree_node *uncle = TELL_GET(grand->child[!side]);
		TELL_SET(grand->colour, RED);
		if (uncle && TELL_GET(uncle->colour) == RED) {
			TELL_SET(parent->colour, BLACK);
			TELL_SET(uncle->colour, BLACK);
			n = grand;
			continue;
		}
		if (TELL_GET(parent->child[!side]) == n) {
			rotate(header, parent, side, pc);
			parent = n;
		}
		TELL_SET(parent->colour, BLACK);
		rotate(header, grand, !side, pc);
		return;
	}
	TELL_SET(n->colour, BLACK);
}

HOOK_WEAK void __wrap__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
	_Bool left, struct tree_node *n, struct tree_node *parent, struct tree_node *header);
HOOK_WEAK void __wrap__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
	_Bool left, struct tree_node *n, struct tree_node *parent, struct tree_node *header)
{
	const void *pc = HERE;

	TELL_SET(n->parent, parent);
	TELL_SET(n->child[0], (struct tree_node *)0);
	TELL_SET(n->child[1], (struct tree_node *)0);
	TELL_SET(n->colour, RED);
	if (parent == header) { /* the first one */
		TELL_SET(header->parent, n);
		TELL_SET(header->child[0], n);
		TELL_SET(header->child[1], n);
	} else {
		TELL_SET(parent->child[!left], n);
		if (TELL_GET(header->child[!left]) == parent)
			TELL_SET(header->child[!left], n);
	}
	mend_red(header, n, pc);
}

/* Below `parent`, on `side`, ways have one black node less than they should; n, maybe nobody, is there. */
HELPER void mend_black(struct tree_node *header, struct tree_node *n, struct tree_node *parent,
		       const void *pc)
{
	while (TELL_GET(header->parent) != n && !(n && TELL_GET(n->colour) == RED)) {
		int side = TELL_GET(parent->child[0]) != n;
		struct tree_node *sibling = TELL_GET(parent->child[!side]);
		if (TELL_GET(sibling->colour) == RED) {
			TELL_SET(sibling->colour, BLACK);
			TELL_SET(parent->colour, RED);
			rotate(header, parent, side, pc);
			sibling = TELL_GET(parent->child[!side]);
		}
		struct tree_node *near = TELL_GET(sibling->child[side]),
				 *far = TELL_GET(sibling->child[!side]);
		int near_red = near && TELL_GET(near->colour) == RED,
		    far_red = far && TELL_GET(far->colour) == RED;
		if (!near_red && !far_red) {
			TELL_SET(sibling->colour, RED);
			n = parent;
			parent = TELL_GET(n->parent);
			continue;
		}
		if (!far_red) {
			TELL_SET(near->colour, BLACK);
			TELL_SET(sibling->colour, RED);
			rotate(header, sibling, !side, pc);
			far = sibling;
			sibling = near;
		}
		TELL_SET(sibling->colour, TELL_GET(parent->colour));
		TELL_SET(parent->colour, BLACK);
		TELL_SET(far->colour, BLACK);
		rotate(header, parent, side, pc);
		return;
	}
	if (n)
		TELL_SET(n->colour, BLACK);
}

/* n, which has two children, changes its place with the next one. */
HELPER void exchange(struct tree_node *header, struct tree_node *n, struct tree_node *next, const void *pc)
{
	struct tree_node *left = TELL_GET(n->child[0]), *right = TELL_GET(n->child[1]),
			 *below = TELL_GET(next->child[1]);
	struct tree_node *above = TELL_GET(next->parent);
	int colour = TELL_GET(next->colour);

	TELL_SET(next->colour, TELL_GET(n->colour));
	TELL_SET(n->colour, colour);
	replace(header, n, next, pc);
	TELL_SET(next->parent, TELL_GET(n->parent));
	TELL_SET(next->child[0], left);
	TELL_SET(left->parent, next);
	if (next == right) {
		TELL_SET(next->child[1], n);
		TELL_SET(n->parent, next);
	} else {
		TELL_SET(next->child[1], right);
		TELL_SET(right->parent, next);
		TELL_SET(above->child[0], n);
		TELL_SET(n->parent, above);
	}
	TELL_SET(n->child[0], (struct tree_node *)0);
	TELL_SET(n->child[1], below);
	if (below)
		TELL_SET(below->parent, n);
}

HOOK_WEAK struct tree_node *
__wrap__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct tree_node *n,
								    struct tree_node *header);
HOOK_WEAK struct tree_node *
__wrap__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct tree_node *n,
								    struct tree_node *header)
{
	const void *pc = HERE;

	if (TELL_GET(n->child[0]) && TELL_GET(n->child[1]))
		exchange(header, n, outermost(TELL_GET(n->child[1]), 0, pc), pc);
	struct tree_node *below = TELL_GET(n->child[0]), *parent = TELL_GET(n->parent);
	if (!below)
		below = TELL_GET(n->child[1]);
	for (int side = 0; side < 2; side++)
		if (TELL_GET(header->child[side]) == n)
			TELL_SET(header->child[side], below ? outermost(below, side, pc) : parent);
	replace(header, n, below, pc);
	if (below)
		TELL_SET(below->parent, parent);
	if (TELL_GET(n->colour) == BLACK)
		mend_black(header, below, parent, pc);
	return n;
}
