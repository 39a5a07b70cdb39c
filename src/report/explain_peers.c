/* explain_peers.c: nobody fails, and yet it does not go on: a conversation that has stopped, or a loop. */
#include <string.h>

#include "report/explain_priv.h"

/* The last step on this connection that did something of this kind, by anybody; NULL: none. */
static const struct log_entry *last_on(const struct explain *e, u64 object, u32 op)
{
	for (size_t i = e->log->lines; i-- > 0;) {
		const struct log_entry *l = &e->log->line[i];

		if (l->kind == WIRE_EV_STEP && l->object == object && l->op == op)
			return l;
	}
	return NULL;
}

/* "1 byte "a"" of "sends 1 byte "a" on connection 3 …"; of a receive what stands behind the colon. */
static const char *words_of(const struct log_entry *l, char *out, size_t cap)
{
	const char *colon = strstr(l->text, ": "), *on = strstr(l->text, " on connection ");

	if (l->op == OP_RECV && colon)
		snprintf(out, cap, "%s", colon + 2);
	else if (on && !strncmp(l->text, "sends ", 6))
		snprintf(out, cap, "%.*s", (int)(on - l->text - 6), l->text + 6);
	else
		snprintf(out, cap, "%s", l->text);
	return out;
}

static bool tell_peer(struct explain *e, const struct log_entry *f)
{
	const struct log_entry *sent, *heard;
	char words[512];

	if (f->waits != WIRE_WAITS_PEER)
		return false;
	sent = last_on(e, f->object, OP_SEND);
	heard = last_on(e, f->object, OP_RECV);
	fprintf(e->out, "%s %s%s, and the peer has said all it will: it waits, too. ",
		explain_Who(e, f->thread), f->text, explain_at(f));
	if (sent)
		fprintf(e->out, "The program's last words on this connection were %s (%s, step #%lu). ",
			words_of(sent, words, sizeof(words)), explain_who(e, sent->thread), sent->step);
	else if (!e->log->omitted)
		fputs("The program has sent nothing on this connection. ", e->out);
	if (heard)
		fprintf(e->out, "Last heard from the peer: %s (by %s, step #%lu). ",
			words_of(heard, words, sizeof(words)), explain_who(e, heard->thread), heard->step);
	else if (!e->log->omitted)
		fputs("Nothing was heard from the peer. ", e->out);
	return true;
}

/* The rest of the message: what a client waits for. */
static void tell_client(struct explain *e)
{
	const char *at = strstr(e->log->violation.text, "; client ");

	if (at)
		fprintf(e->out, "C%.*s. ", (int)strcspn(at + 3, ";"), at + 3);
}

void explain_peers(struct explain *e)
{
	bool told = false;

	for (size_t i = 0; i < e->log->fibers && !told; i++)
		told = tell_peer(e, &e->log->fiber[i]);
	if (!told)
		tell_client(e);
	for (size_t i = 0; i < e->log->fibers; i++) {
		const struct log_entry *f = &e->log->fiber[i];

		if (f->waits == WIRE_WAITS_THREAD && f->op == OP_JOIN && explain_fiber(e, f->waits_thread))
			fprintf(e->out, "%s only waits for %s to end. ", explain_Who(e, f->thread),
				explain_who(e, f->waits_thread));
	}
}

/* Who takes part in the loop that the execution ends with is not told by the log; who is awake is. */
void explain_livelock(struct explain *e)
{
	size_t awake = 0;

	for (size_t i = 0; i < e->log->fibers; i++)
		awake += e->log->fiber[i].waits == WIRE_WAITS_NOT;
	if (!awake)
		return;
	for (size_t i = 0, n = 0; i < e->log->fibers; i++) {
		const struct log_entry *f = &e->log->fiber[i];

		if (f->waits != WIRE_WAITS_NOT)
			continue;
		fprintf(e->out, "%s%s%s",
			n == 0           ? ""
			: n + 1 == awake ? " and "
					 : ", ",
			n == 0 ? explain_Who(e, f->thread) : explain_who(e, f->thread), explain_at(f));
		n++;
	}
	fprintf(e->out,
		" %s for ever: however the threads go on, nothing changes what ends the loop. The execution "
		"ends "
		"with one round of it. ",
		awake == 1 ? "goes round" : "go round");
}
