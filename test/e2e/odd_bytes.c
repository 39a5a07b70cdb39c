/* Its thread's name and its last words are no UTF-8, and nothing that XML could hold: reports stay valid. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern void __assert_fail(const char *what, const char *file, unsigned line, const char *function);

static void *fail(void *arg)
{
	pthread_setname_np(pthread_self(), "\xff\x01<&\xc3");
	fwrite("\x80\xef\xbf\xbf\x1b[31m]]>\xed\xa0\x80\n", 1, 17, stdout);
	fflush(stdout);
	__assert_fail("\xc0\xaf \x02 \xef\xbf\xbe ]]> % \r\n::error::no", __FILE__, __LINE__, __func__);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, fail, 0);
	pthread_join(t, 0);
	return 0;
}
