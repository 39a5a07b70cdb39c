/* Who stays hears that the other has left; "deaf": nobody says so, and who waits for it waits for ever. */
#include "program.h"

int main(void)
{
	char line[40];
	int stays = dial(), goes = dial();
	close(goes);
	assert(!strcmp(hear(stays, line, sizeof(line)), "left"));
	return 0;
}
