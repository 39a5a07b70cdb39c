/* Names and output that would break a page if they got into it as they are. </script><b id="broken">"&' */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char text[32];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *shout(void *arg)
{
	pthread_setname_np(pthread_self(), "<b>&\"'</b>");
	pthread_mutex_lock(&m);
	snprintf(text, sizeof(text), "</script>\x80\xff\"<i>");
	pthread_mutex_unlock(&m);
	printf("</script><b id=\"broken\">\xff\x01\x7f&amp;\xe2\x82\n");
	fflush(stdout);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, shout, NULL);
	pthread_join(t, NULL);
	assert(!"</script><img src=x onerror=alert(1)>" || text[0] == 0); /* <b id="broken"> */
	return 0;
}
