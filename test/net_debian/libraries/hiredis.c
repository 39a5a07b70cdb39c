/*
 * Two threads use redis by hiredis' blocking interface, over connections of their own: one command and its
 * answer, then two commands on their way at a time.
 *
 * library: hiredis
 * heddle: verdict=verified outcomes=28 options="--recheck 2" server="@redis {port:6379}"
 * heddle: verdict=verified outcomes=28 options="--short-io on" server="@redis {port:6379}"
 */
#include <hiredis/hiredis.h>

#include "net.h"

static long got[2];

static long number(redisReply *reply)
{
	CHECK(reply && (reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_INTEGER));
	long value = reply->type == REDIS_REPLY_STRING ? atol(reply->str) : (long)reply->integer;
	freeReplyObject(reply);
	return value;
}

static void *ask(void *arg)
{
	long self = (long)arg;
	redisContext *c = redisConnect("127.0.0.1", 6379);
	CHECK(c && !c->err);
	redisReply *reply = redisCommand(c, "SET key%ld %ld", self, 4 * self);
	CHECK(reply && reply->type == REDIS_REPLY_STATUS && !strcmp(reply->str, "OK"));
	freeReplyObject(reply);
	OK(redisAppendCommand(c, "INCR key%ld", self));
	OK(redisAppendCommand(c, "GET key%ld", self));
	for (int i = 0; i < 2; i++) {
		void *answer = NULL;
		OK(redisGetReply(c, &answer));
		got[self - 1] += number(answer);
	}
	redisFree(c);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(ask, (void *)1l), b = spawn(ask, (void *)2l);
	join(a);
	join(b);
	heddle_outcome(got[0] + got[1]);
	return 0;
}
