/*
 * Two threads fetch a page each by libcurl's easy interface, as its documentation asks for: a handle for each
 * thread, the library set up before. Its waits have a time-out (a second, at most) and look at the clock after it.
 *
 * library: libcurl
 * heddle: verdict=verified outcomes=12 options="--timeouts never" server="@nginx {port:80} @tmp"
 * heddle: slow verdict=verified outcomes=12 options="--timeouts never" server="@lighttpd {port:80} @tmp"
 */
#include <curl/curl.h>

#include "net.h"

struct page {
	char text[64];
	size_t length;
};

static struct page page[2];

static size_t on_data(char *data, size_t size, size_t n, void *to)
{
	struct page *p = to;
	CHECK(p->length + size * n < sizeof(p->text));
	memcpy(p->text + p->length, data, size * n);
	p->length += size * n;
	return size * n;
}

static void *fetch(void *arg)
{
	long self = (long)arg, status = 0;
	char url[64];
	snprintf(url, sizeof(url), "http://127.0.0.1:80/%ld.txt", self);
	CURL *c = curl_easy_init();
	CHECK(c);
	OK(curl_easy_setopt(c, CURLOPT_URL, url));
	OK(curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1l));
	OK(curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_data));
	OK(curl_easy_setopt(c, CURLOPT_WRITEDATA, &page[self - 1]));
	OK(curl_easy_perform(c));
	OK(curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status));
	CHECK(status == 200);
	curl_easy_cleanup(c);
	return NULL;
}

int main(void)
{
	OK(curl_global_init(CURL_GLOBAL_NOTHING));
	pthread_t a = spawn(fetch, (void *)1l), b = spawn(fetch, (void *)2l);
	join(a);
	join(b);
	CHECK(!strcmp(page[0].text, "one\n") && !strcmp(page[1].text, "and two\n"));
	heddle_outcome((long)(page[0].length + page[1].length));
	return 0;
}
