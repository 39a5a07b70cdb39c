#include "toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u64 mix(u64 x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

/* As in the real target: a sum over the words that are not zero. */
static struct fingerprint word_print(u32 index, int value)
{
	if (!value)
		return (struct fingerprint){0, 0};
	u64 x = (u64)(index + 1) << 32 | (u32)value;
	return (struct fingerprint){mix(x), mix(~x)};
}

static void write_word(struct toy *t, u32 index, int value)
{
	struct fingerprint old = word_print(index, t->var[index]), new = word_print(index, value);
	t->var[index] = value;
	if (t->fault == TOY_FINGERPRINT_MISSES && index == t->model->vars - 1)
		return;
	t->fp.lo += new.lo - old.lo;
	t->fp.hi += new.hi - old.hi;
}

static void *with_room(void *array, size_t len, size_t *cap, size_t size)
{
	if (len < *cap)
		return array;
	*cap = *cap ? 2 * *cap : 64;
	array = realloc(array, *cap * size);
	hd_assert(array);
	return array;
}

void toy_set(struct toy *t, u32 index, int value)
{
	hd_assert(index < t->model->vars);
	if (value == t->var[index])
		return;
	t->log = with_room(t->log, t->len, &t->cap, sizeof(*t->log));
	t->log[t->len++] = (struct toy_change){index, t->var[index] ^ value};
	write_word(t, index, value);
}

static u32 actions(void *self, u32 *out)
{
	struct toy *t = self;
	u32 n = t->model->actions(t, out);
	if (t->fault == TOY_ACTION_VANISHES && !t->len && t->asked++ && n)
		n--;
	return n;
}

static enum step_result step(void *self, u32 action)
{
	struct toy *t = self;
	t->steps++;
	t->trail = mix(t->trail ^ action);
	enum step_result r = t->model->step(t, action);
	if (t->fault == TOY_NOT_DETERMINISTIC)
		toy_set(t, t->model->vars - 1, t->steps % 7 == 0);
	return r;
}

static enum terminal_kind terminal(void *self)
{
	struct toy *t = self;
	return t->model->terminal ? t->model->terminal(t) : TERMINAL_END;
}

static struct fingerprint fingerprint(void *self)
{
	return ((struct toy *)self)->fp;
}

static struct fingerprint full_fingerprint(void *self)
{
	struct toy *t = self;
	struct fingerprint sum = {0, 0};
	for (u32 i = 0; i < t->model->vars; i++) {
		struct fingerprint one = word_print(i, t->var[i]);
		sum.lo += one.lo;
		sum.hi += one.hi;
	}
	return sum;
}

static target_mark mark(void *self)
{
	struct toy *t = self;
	if (t->marks && t->mark[t->marks - 1].len == t->len)
		return t->mark[t->marks - 1].number;
	t->mark = with_room(t->mark, t->marks, &t->marks_cap, sizeof(*t->mark));
	t->mark[t->marks++] = (struct toy_mark){++t->last_mark, t->len};
	return t->last_mark;
}

/* Where in the log a live mark is. */
static size_t place(const struct toy *t, target_mark mark)
{
	size_t i = t->marks;
	while (i && t->mark[i - 1].number != mark)
		i--;
	hd_assert(i);
	return t->mark[i - 1].len;
}

static void toggle(struct toy *t, struct toy_change c)
{
	write_word(t, c.index, t->var[c.index] ^ c.toggle);
}

static void undo(void *self, target_mark to)
{
	struct toy *t = self;
	size_t len = place(t, to);
	while (t->mark[t->marks - 1].number != to)
		t->marks--;
	if (t->fault == TOY_UNDO_MISSES && len < t->len && ++t->undos % 5 == 0)
		t->len--;
	while (t->len > len)
		toggle(t, t->log[--t->len]);
}

static size_t delta_size(void *self, target_mark from)
{
	struct toy *t = self;
	return sizeof(u64) + (t->len - place(t, from)) * sizeof(struct toy_change);
}

static void delta_save(void *self, target_mark from, void *out)
{
	struct toy *t = self;
	size_t first = place(t, from);
	u64 n = t->len - first;
	memcpy(out, &n, sizeof(n));
	if (n)
		memcpy((char *)out + sizeof(n), t->log + first, n * sizeof(*t->log));
}

static void delta_apply(void *self, const void *blob)
{
	struct toy *t = self;
	u64 n;
	memcpy(&n, blob, sizeof(n));
	for (u64 i = 0; i < n; i++) {
		struct toy_change c;
		memcpy(&c, (const char *)blob + sizeof(n) + i * sizeof(c), sizeof(c));
		toggle(t, c);
	}
	t->len = t->marks = 0;
}

static void restart(void *self)
{
	struct toy *t = self;
	t->told = 0;
	if (t->model->restart)
		t->model->restart(t);
}

static bool stale(void *self)
{
	struct toy *t = self;
	return t->model->stale && t->model->stale(t);
}

static u64 violation_key(void *self)
{
	return ((struct toy *)self)->key;
}

static u32 action_fiber(void *self, u32 action)
{
	struct toy *t = self;
	return t->model->action_fiber ? t->model->action_fiber(t, action) : action >> 16;
}

static u64 memory(void *self)
{
	return ((struct toy *)self)->len * sizeof(struct toy_change);
}

static void toy_label(void *self, u32 action, struct target_label *out)
{
	(void)self;
	*out = (struct target_label){.kind = 1, .pc = 0x1000 + action};
}

static const struct target_ops ops = {
	.label = toy_label,
	.actions = actions,
	.step = step,
	.terminal = terminal,
	.fingerprint = fingerprint,
	.full_fingerprint = full_fingerprint,
	.mark = mark,
	.undo = undo,
	.delta_size = delta_size,
	.delta_save = delta_save,
	.delta_apply = delta_apply,
	.restart = restart,
	.stale = stale,
	.violation_key = violation_key,
	.action_fiber = action_fiber,
	.memory = memory,
};

/* Does the path lead a fresh toy to where this one stands? */
static bool leads_here(const struct toy *t, const u32 *path, u64 len)
{
	struct toy other;
	toy_init(&other, t->model);
	for (u64 i = 0; i < len; i++)
		step(&other, path[i]);
	bool same = !memcmp(other.var, t->var, sizeof(t->var));
	toy_free(&other);
	return same;
}

static void on_violation(void *self, const u32 *path, u64 len)
{
	struct toy *t = self;
	hd_assert(t->told < TOY_MAX_VIOLATIONS);
	u64 hash = 0;
	for (u64 i = 0; i < len; i++)
		hash = mix(hash ^ (path[i] + 1));
	t->violation[t->told++] = (struct toy_told){t->key, len, hash};
	if (t->fault == TOY_SOUND && !leads_here(t, path, len))
		t->path_is_wrong = true;
}

static bool on_stop(void *self)
{
	struct toy *t = self;
	return ++t->polls == t->stop_at_poll;
}

static u64 on_now(void *self)
{
	return ((struct toy *)self)->clock_ms++;
}

static void on_insane(void *self, const char *what, const u32 *path, u64 len)
{
	struct toy *t = self;
	(void)path;
	(void)len;
	t->insane++;
	t->insanity = what;
	snprintf(t->insanity_text, sizeof(t->insanity_text), "%s", what);
}

void toy_init(struct toy *t, const struct toy_model *model)
{
	hd_assert(model->vars <= TOY_MAX_VARS);
	*t = (struct toy){.model = model};
	t->target = (struct target){.ops = &ops, .self = t};
	t->hooks = (struct search_hooks){
		.self = t, .violation = on_violation, .stop = on_stop, .now_ms = on_now, .insane = on_insane};
}

void toy_free(struct toy *t)
{
	free(t->log);
	free(t->mark);
	t->log = NULL;
	t->mark = NULL;
}

enum search_end toy_search(struct toy *t, const struct search_options *o)
{
	return search_run(&t->target, o, &t->hooks, &t->stats);
}
