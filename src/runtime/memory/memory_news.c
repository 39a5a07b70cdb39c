#include "runtime/memory/memory_news.h"

#include "runtime/memory/lockset.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/memory_priv.h"
#include "runtime/memory/order.h"
#include "runtime/memory/shadow.h"
#include "runtime/memory/window.h"

static void (*say)(const u64 *word, u32 words); /* NULL: there are no others */

/* The message under way. */
static struct {
	u64 start, end;
	u32 sort, who, how, locks;
} now;

/* A message: from, to, sort and how and who in one word, locks. */
#define HEAD_WORDS 3u
#define ABOUT(sort, how, who) ((u64)(sort) | (u64)(how) << 8 | (u64)(who) << 32)

void tell_all(void)
{
	u64 word[HEAD_WORDS + LOCKSET_MAX_LOCKS] = {now.start, now.end, ABOUT(now.sort, now.how, now.who)};
	if (hd_likely(now.start == now.end))
		return;
	now.start = now.end = 0;
	u32 locks = lockset_get(now.locks, word + HEAD_WORDS);
	if (say)
		say(word, HEAD_WORDS + locks);
}

void tell_cell(enum tell_sort sort, u64 address, u32 who, u32 how, u32 locks)
{
	u64 cell = address & ~(u64)(SHADOW_GRAIN - 1);
	if (hd_likely(!say))
		return;
	if (now.end != cell || now.sort != sort || now.who != who || now.how != how || now.locks != locks) {
		tell_all();
		now.start = cell;
		now.sort = sort;
		now.who = who;
		now.how = how;
		now.locks = locks;
	}
	now.end = cell + SHADOW_GRAIN;
}

void memory_share(void (*with)(const u64 *word, u32 words))
{
	tell_all();
	say = with;
}

void memory_hear(const u64 *word, u32 words)
{
	u32 sort = (u32)word[2] & 0xff, how = (u32)word[2] >> 8, who = (u32)(word[2] >> 32);
	u32 locks = lockset_of(word + HEAD_WORDS, words - HEAD_WORDS);
	void (*with)(const u64 *, u32) = say;
	tell_all();
	say = NULL; /* the others have heard it, too */
	for (u64 a = word[0]; a < word[1]; a += SHADOW_GRAIN)
		if (sort == TELL_USED)
			memory_cell_used(a, who, how & TELL_WRITE, how & TELL_BARE, locks);
		else if (sort == TELL_NOTED)
			window_noted_by(a, who);
		else
			order_followed(a, how & TELL_WHOLE, how & TELL_BARE);
	memory_tell_lessons();
	say = with;
}
