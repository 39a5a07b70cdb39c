/* witness.c: leaves a file behind if it ever runs outside of heddle. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_CREAT | O_WRONLY, 0600) : -1;

	if (fd >= 0)
		close(fd);
	return 0;
}
