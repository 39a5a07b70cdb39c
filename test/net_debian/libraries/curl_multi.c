/*
 * One thread drives two transfers by libcurl's multi interface; the other asks it to begin the second one, by
 * curl_multi_wakeup.
 *
 * library: libcurl
 * heddle: verdict=verified outcomes=12 options="--timeouts never" server="@nginx {port:80} @tmp"
 */
#include <curl/curl.h>

#include "net.h"

static CURLM *multi;
static int wanted;
static size_t length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t on_data(char *data, size_t size, size_t n, void *to)
{
	(void)data, (void)to;
	length += size * n;
	return size * n;
}

static CURL *begin(const char *url)
{
	CURL *c = curl_easy_init();
	CHECK(c);
	OK(curl_easy_setopt(c, CURLOPT_URL, url));
	OK(curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1l));
	OK(curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_data));
	OK(curl_multi_add_handle(multi, c));
	return c;
}

static int take_wanted(void)
{
	OK(pthread_mutex_lock(&lock));
	int n = wanted;
	wanted = 0;
	OK(pthread_mutex_unlock(&lock));
	return n;
}

static int finished(void)
{
	int left, n = 0;
	for (CURLMsg *m; (m = curl_multi_info_read(multi, &left));) {
		CHECK(m->msg == CURLMSG_DONE && m->data.result == CURLE_OK);
		CURL *c = m->easy_handle;
		OK(curl_multi_remove_handle(multi, c));
		curl_easy_cleanup(c);
		n++;
	}
	return n;
}

static void *drive(void *arg)
{
	for (int done = 0, running; done < 2;) {
		if (take_wanted())
			begin("http://127.0.0.1:80/2.txt");
		OK(curl_multi_perform(multi, &running));
		done += finished();
		if (done < 2)
			OK(curl_multi_poll(multi, NULL, 0, 1000, NULL));
	}
	return arg;
}

int main(void)
{
	OK(curl_global_init(CURL_GLOBAL_NOTHING));
	multi = curl_multi_init();
	CHECK(multi);
	begin("http://127.0.0.1:80/1.txt");
	pthread_t driver = spawn(drive, NULL);
	OK(pthread_mutex_lock(&lock));
	wanted = 1;
	OK(pthread_mutex_unlock(&lock));
	OK(curl_multi_wakeup(multi));
	join(driver);
	OK(curl_multi_cleanup(multi));
	heddle_outcome((long)length);
	return 0;
}
