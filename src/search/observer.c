#include "search/observer.h"

#include "search/audit.h"
#include "search/eye.h"
#include "search/recorder.h"
#include "search/search_priv.h"

/* The observers that come with the search; each decides in begin whether it is wanted. */
extern const struct observer observer_livelock;
static const struct observer *const built_in[] = {&observer_livelock, &observer_audit, &observer_eye,
						  &observer_recorder};

static void join(struct search *s, const struct observer *o)
{
	void *self = o->begin(s);
	if (!self)
		return;
	hd_assert(s->observers.count < OBSERVERS_MAX);
	s->observers.one[s->observers.count].of = o;
	s->observers.one[s->observers.count++].self = self;
}

void observers_begin(struct search *s)
{
	s->observers.count = 0;
	for (u32 i = 0; i < HD_ARRAY_LEN(built_in); i++)
		join(s, built_in[i]);
	for (u32 i = 0; i < HD_ARRAY_LEN(s->hooks->observer); i++)
		if (s->hooks->observer[i])
			join(s, s->hooks->observer[i]);
}

void observers_end(struct search *s)
{
	for (u32 i = 0; i < s->observers.count; i++)
		if (s->observers.one[i].of->end)
			s->observers.one[i].of->end(s->observers.one[i].self, s);
	s->observers.count = 0;
}

u64 observers_memory(const struct search *s)
{
	u64 bytes = 0;
	for (u32 i = 0; i < s->observers.count; i++)
		if (s->observers.one[i].of->memory)
			bytes += s->observers.one[i].of->memory(s->observers.one[i].self);
	return bytes;
}

/* Call one function of all observers, until one of them wants to end the search. */
#define TELL(s, event, ...) \
	do { \
		for (u32 i = 0; i < (s)->observers.count; i++) { \
			const struct observer *o = (s)->observers.one[i].of; \
			if (!o->event) \
				continue; \
			enum move m = o->event((s)->observers.one[i].self, __VA_ARGS__); \
			if (m >= MOVE_HALT) \
				return m; \
		} \
		return MOVE_KNOWN; \
	} while (0)

enum move observers_enter(struct search *s, const u32 *actions, u32 n)
{
	TELL(s, enter, s, actions, n);
}

enum move observers_step(struct search *s, u32 action)
{
	TELL(s, step, s, action);
}

enum move observers_edge(struct search *s, u32 action, enum edge to)
{
	TELL(s, edge, s, action, to);
}

enum move observers_leave(struct search *s)
{
	TELL(s, leave, s);
}
