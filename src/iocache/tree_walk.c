/* Ways through a tree. Nothing here changes one. */
#include "tree_priv.h"

#include <string.h>

static size_t common_prefix(const u8 *a, const u8 *b, size_t n)
{
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		u64 x, y;
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			return i + (size_t)__builtin_ctzll(x ^ y) / 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

size_t tree_follow(const struct trees *t, struct tree_at *at, const void *data, size_t n)
{
	const u8 *p = data;
	size_t done = 0;
	while (done < n && !at->ended) {
		const struct branch *b = branch_of(t, at->branch);
		size_t there = (size_t)HD_MIN(branch_end(b) - at->written, (u64)(n - done));
		size_t same = common_prefix(branch_bytes(t, b) + (at->written - b->fork), p + done, there);
		at->written += same;
		done += same;
		if (done == n)
			break;
		u32 child = index_find(t, at->branch, at->written, p[done]);
		if (child == TREE_NONE)
			break;
		at->branch = child;
	}
	return done;
}

bool tree_follow_time(const struct trees *t, struct tree_at *at)
{
	static const u8 time_passes[NET_JOINT_SYMBOL] = {NET_JOINT_EVENT, NET_JOINT_TIME};
	struct tree_at to = *at;
	if (at->ended || tree_follow(t, &to, time_passes, sizeof(time_passes)) != sizeof(time_passes))
		return false;
	*at = to;
	return true;
}

bool tree_follow_end(const struct trees *t, struct tree_at *at)
{
	const struct branch *b = branch_of(t, at->branch);
	if (at->ended)
		return true;
	if (!b->ended || at->written != branch_end(b)) {
		u32 child = index_find(t, at->branch, at->written, SYMBOL_END);
		if (child == TREE_NONE)
			return false;
		at->branch = child;
	}
	at->ended = 1;
	return true;
}

bool tree_is_leaf(const struct trees *t, const struct tree_at *at)
{
	const struct branch *b = branch_of(t, at->branch);
	return !at->ended && !b->ended && at->written == branch_end(b);
}

/* ---- marks ---- */

u32 branch_marks_to(const struct trees *t, const struct branch *b, u64 at, u32 ended)
{
	const struct mark *m = branch_marks(t, b);
	u32 low = 0, high = branch_mark_count(b);
	while (low < high) {
		u32 middle = (low + high) / 2;
		if (m[middle].at < at || (m[middle].at == at && m[middle].ended <= ended))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool tree_mark_at(const struct trees *t, const struct tree_at *at, struct mark_view *out)
{
	const struct branch *b = branch_of(t, at->branch);
	u32 n = branch_marks_to(t, b, at->written, at->ended);
	const struct mark *m = branch_marks(t, b) + n - 1;
	if (n == 0 || m->at != at->written || m->ended != at->ended)
		return false;
	mark_show(t, m, out);
	return true;
}

bool tree_mark_before(const struct trees *t, const struct tree_at *at, struct mark_view *out)
{
	struct tree_at i = *at;
	for (;;) {
		const struct branch *b = branch_of(t, i.branch);
		u32 n = branch_marks_to(t, b, i.written, i.ended);
		if (n) {
			mark_show(t, branch_marks(t, b) + n - 1, out);
			return true;
		}
		if (b->parent == TREE_NONE)
			return false;
		i = (struct tree_at){.branch = b->parent, .written = HD_MIN(b->fork, at->written)};
	}
}

bool tree_mark_after(const struct trees *t, const struct tree_at *from, const struct tree_at *to,
		     struct tree_at *at, struct mark_view *out)
{
	struct tree_at i = *to;
	bool found = false;
	for (;;) {
		const struct branch *b = branch_of(t, i.branch);
		bool here = i.branch == from->branch;
		u32 n = branch_marks_to(t, b, i.written, i.ended);
		u32 first = here ? branch_marks_to(t, b, from->written, from->ended) : 0;
		if (first < n) {
			mark_show(t, branch_marks(t, b) + first, out);
			*at = (struct tree_at){i.branch, out->ended, out->at};
			found = true;
		}
		if (here || b->parent == TREE_NONE)
			return found;
		i = (struct tree_at){.branch = b->parent, .written = b->fork};
	}
}

/* The last mark of a branch before its end of writing; false: there is none. */
static bool last_mark_of(const struct trees *t, u32 branch, struct tree_at *at, struct mark_view *m)
{
	const struct branch *b = branch_of(t, branch);
	u32 n = branch_marks_to(t, b, branch_end(b), 0);
	if (!n)
		return false;
	mark_show(t, branch_marks(t, b) + n - 1, m);
	*at = (struct tree_at){.branch = branch, .written = m->at};
	return true;
}

/* Who has closed stays so: the last mark of each branch behind `at` is enough. */
bool tree_goes_on(const struct trees *t, const struct tree_at *at, struct tree_at *where)
{
	const u32 closed = NET_EOF | NET_RESET;
	struct mark_view here, m;
	if (tree_is_leaf(t, at) || !tree_mark_at(t, at, &here) || (here.flags & closed))
		return false;
	for (u32 i = at->branch; i < branches_count(t); i++)
		if (branch_of(t, i)->tree == branch_of(t, at->branch)->tree &&
		    last_mark_of(t, i, where, &m) && tree_passes(t, at, where) && (m.flags & closed))
			return true;
	return false;
}

/* ---- bytes on the way ---- */

/* The longest piece of written bytes that starts at `from` on the way to `at` and lies in one branch. */
static const u8 *bytes_piece(const struct trees *t, const struct tree_at *at, u64 from, u64 *len)
{
	u64 end = at->written;
	const struct branch *b = branch_of(t, at->branch);
	while (b->fork > from) {
		end = b->fork;
		b = branch_of(t, b->parent);
	}
	*len = end - from;
	return branch_bytes(t, b) + (from - b->fork);
}

static const u8 *reply_piece(const struct trees *t, const struct tree_at *at, u64 from, u64 *len)
{
	u64 end = UINT64_MAX;
	const struct branch *b = branch_of(t, at->branch);
	while (from < b->reply_from || from >= b->reply_from + b->reply.len) {
		if (from < b->reply_from)
			end = HD_MIN(end, b->reply_from);
		hd_assert(b->parent != TREE_NONE); /* law 4 */
		b = branch_of(t, b->parent);
	}
	*len = HD_MIN(end, b->reply_from + b->reply.len) - from;
	return (const u8 *)trees_place(t, b->reply.at) + (from - b->reply_from);
}

void tree_reply_copy(const struct trees *t, const struct tree_at *at, u64 from, void *to, size_t n)
{
	for (size_t done = 0; done < n;) {
		u64 len;
		const u8 *piece = reply_piece(t, at, from + done, &len);
		size_t some = (size_t)HD_MIN(len, (u64)(n - done));
		memcpy((u8 *)to + done, piece, some);
		done += some;
	}
}

size_t tree_reply_same(const struct trees *t, const struct tree_at *at, u64 from, const void *data, size_t n)
{
	for (size_t done = 0; done < n;) {
		u64 len;
		const u8 *piece = reply_piece(t, at, from + done, &len);
		size_t some = (size_t)HD_MIN(len, (u64)(n - done));
		size_t same = common_prefix(piece, (const u8 *)data + done, some);
		done += same;
		if (same < some)
			return done;
	}
	return n;
}

void tree_bytes_copy(const struct trees *t, const struct tree_at *at, u64 from, void *to, size_t n)
{
	hd_assert(from + n <= at->written);
	for (size_t done = 0; done < n;) {
		u64 len;
		const u8 *piece = bytes_piece(t, at, from + done, &len);
		size_t some = (size_t)HD_MIN(len, (u64)(n - done));
		memcpy((u8 *)to + done, piece, some);
		done += some;
	}
}

/* ---- ways and positions ---- */

bool tree_passes(const struct trees *t, const struct tree_at *near, const struct tree_at *far)
{
	struct tree_at i = *far;
	while (i.branch != near->branch) {
		const struct branch *b = branch_of(t, i.branch);
		if (b->parent == TREE_NONE || b->parent < near->branch) /* law 1 */
			return false;
		i = (struct tree_at){.branch = b->parent, .written = b->fork};
	}
	return near->written < i.written || (near->written == i.written && near->ended <= i.ended);
}
