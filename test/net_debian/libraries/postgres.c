/*
 * Two threads ask PostgreSQL by libpq, over connections of their own: a query with a parameter each. The server
 * gives each connection a number and a key for cancelling; so no conversation can be had twice, and each
 * thread says another name, so that none has to be.
 *
 * library: libpq
 * heddle: verdict=verified outcomes=42 options="--recheck 0 --timeouts never" server="@postgres {port:5432} @tmp"
 */
#include <libpq-fe.h>

#include "net.h"

#define SERVER \
	"hostaddr=127.0.0.1 port=5432 dbname=postgres user=postgres sslmode=disable gssencmode=disable "

static long got[2];

static void *ask(void *arg)
{
	long self = (long)arg;
	PGconn *c = PQconnectdb(self == 1 ? SERVER "application_name=one" : SERVER "application_name=two");
	CHECK(PQstatus(c) == CONNECTION_OK);
	char text[16];
	snprintf(text, sizeof(text), "%ld", 7 * self);
	const char *value[] = {text};
	PGresult *r = PQexecParams(c, "select $1::int * 2", 1, NULL, value, NULL, NULL, 0);
	CHECK(PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1);
	got[self - 1] = atol(PQgetvalue(r, 0, 0));
	PQclear(r);
	PQfinish(c);
	return NULL;
}

int main(void)
{
	CHECK(PQisthreadsafe());
	pthread_t a = spawn(ask, (void *)1l), b = spawn(ask, (void *)2l);
	join(a);
	join(b);
	heddle_outcome(got[0] + got[1]);
	return 0;
}
