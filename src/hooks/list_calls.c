/* list_calls.c: the links of std::list, which libstdc++ changes in its library; done here, access by
   access. */
#include "hooks/tell.h"

struct list_link {
	struct list_link *next, *prev;
};

HELPER void join(struct list_link *first, struct list_link *second, const void *pc)
{
	TELL_SET(first->next, second);
	TELL_SET(second->prev, first);
}

HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct list_link *l,
								   struct list_link *behind);
HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct list_link *l,
								   struct list_link *behind)
{
	const void *pc = HERE;

	join(TELL_GET(behind->prev), l, pc);
	join(l, behind, pc);
}

HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base9_M_unhookEv(struct list_link *l);
HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base9_M_unhookEv(struct list_link *l)
{
	const void *pc = HERE;

	join(TELL_GET(l->prev), TELL_GET(l->next), pc);
}

/* first, up to the one before `end`, comes before l; it may be of another list. */
HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct list_link *l,
									   struct list_link *first,
									   struct list_link *end);
HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct list_link *l,
									   struct list_link *first,
									   struct list_link *end)
{
	const void *pc = HERE;

	if (l == end)
		return;
	struct list_link *last = TELL_GET(end->prev);
	join(TELL_GET(first->prev), end, pc);
	join(TELL_GET(l->prev), first, pc);
	join(last, l, pc);
}

HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base10_M_reverseEv(struct list_link *l);
HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base10_M_reverseEv(struct list_link *l)
{
	const void *pc = HERE;
	struct list_link *at = l;

	do {
		struct list_link *next = TELL_GET(at->next);

		TELL_SET(at->next, TELL_GET(at->prev));
		TELL_SET(at->prev, next);
		at = next;
	} while (at != l);
}

/* The heads of two lists. */
HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base4swapERS0_S1_(struct list_link *a, struct list_link *b);
HOOK_WEAK void __wrap__ZNSt8__detail15_List_node_base4swapERS0_S1_(struct list_link *a, struct list_link *b)
{
	const void *pc = HERE;
	struct list_link was[2] = {{TELL_GET(a->next), TELL_GET(a->prev)},
				   {TELL_GET(b->next), TELL_GET(b->prev)}};

	if (a == b)
		return;
	for (int i = 0; i < 2; i++) {
		struct list_link *old = i ? b : a, *new = i ? a : b;

		/* An empty list's head points to itself. */
		join(new, was[i].next == old ? new : was[i].next, pc);
		join(was[i].prev == old ? new : was[i].prev, new, pc);
	}
}
