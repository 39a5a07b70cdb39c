/*
 * Two threads, each with an event loop of its own around hiredis' asynchronous interface: a non-blocking
 * connect, commands with call-backs, and a disconnect once they were answered.
 *
 * library: hiredis
 * heddle: verdict=verified outcomes=6 server="@redis {port:6379}"
 * heddle: verdict=verified outcomes=6 options="--short-io on" server="@redis {port:6379}"
 */
#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include "net.h"

struct loop {
	long self, sum;
	short events;
	int connected, done;
};

static long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add_read(void *l)
{
	((struct loop *)l)->events |= POLLIN;
}

static void del_read(void *l)
{
	((struct loop *)l)->events &= ~POLLIN;
}

static void add_write(void *l)
{
	((struct loop *)l)->events |= POLLOUT;
}

static void del_write(void *l)
{
	((struct loop *)l)->events &= ~POLLOUT;
}

static void clean_up(void *l)
{
	((struct loop *)l)->events = 0;
}

static void on_connect(const redisAsyncContext *c, int status)
{
	CHECK(status == REDIS_OK);
	((struct loop *)c->data)->connected = 1;
}

static void on_disconnect(const redisAsyncContext *c, int status)
{
	CHECK(status == REDIS_OK);
	((struct loop *)c->data)->done = 1;
}

static void on_answer(redisAsyncContext *c, void *reply, void *last)
{
	struct loop *l = c->data;
	const redisReply *r = reply;
	CHECK(r && r->type != REDIS_REPLY_ERROR);
	if (r->type == REDIS_REPLY_INTEGER)
		l->sum += (long)r->integer;
	if (last)
		redisAsyncDisconnect(c);
}

static void turn(redisAsyncContext *c, struct loop *l)
{
	struct pollfd p = {.fd = c->c.fd, .events = l->events};
	CHECK(poll(&p, 1, -1) == 1);
	if (p.revents & (POLLIN | POLLERR | POLLHUP) && l->events & POLLIN)
		redisAsyncHandleRead(c);
	if (!l->done && p.revents & (POLLOUT | POLLERR | POLLHUP) && l->events & POLLOUT)
		redisAsyncHandleWrite(c);
}

static void *ask(void *arg)
{
	struct loop l = {.self = (long)arg};
	redisAsyncContext *c = redisAsyncConnect("127.0.0.1", 6379);
	CHECK(c && !c->err);
	c->data = c->ev.data = &l;
	c->ev.addRead = add_read;
	c->ev.delRead = del_read;
	c->ev.addWrite = add_write;
	c->ev.delWrite = del_write;
	c->ev.cleanup = clean_up;
	OK(redisAsyncSetConnectCallback(c, on_connect));
	OK(redisAsyncSetDisconnectCallback(c, on_disconnect));
	OK(redisAsyncCommand(c, on_answer, NULL, "SET async%ld %ld", l.self, 2 * l.self - 1));
	OK(redisAsyncCommand(c, on_answer, &l, "INCR async%ld", l.self));
	while (!l.done)
		turn(c, &l);
	CHECK(l.connected);
	OK(pthread_mutex_lock(&lock));
	total += l.sum;
	OK(pthread_mutex_unlock(&lock));
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(ask, (void *)1l), b = spawn(ask, (void *)2l);
	join(a);
	join(b);
	heddle_outcome(total);
	return 0;
}
