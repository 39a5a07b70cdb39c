// The counter of an eventfd.
// plant: desc * *
// names: description|eventfd
#include "audit.h"
static int fd;
static void init(void)
{
	fd = eventfd(0, EFD_NONBLOCK);
}
static void adder(void)
{
	pause_here();
	eventfd_write(fd, 3);
}
static void taker(void)
{
	eventfd_t v;
	pause_here();
	eventfd_read(fd, &v);
}
PROGRAM_AFTER(init, adder, taker)
