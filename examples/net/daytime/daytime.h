/* daytime.h: the date on which server and client agree. */
#define DAYTIME "Tue, 16 Nov 2010 09:00:00 JST\r\n"
