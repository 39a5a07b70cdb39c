/*
 * host_maps.h: what the SUT reads in /proc/self/maps: the files that were mapped when it started, and the
 * stack. Taken once, before pages are protected one by one; memory of ours and of its own
 * making is not listed.
 */
#ifndef HEDDLE_RUNTIME_VK_HOST_MAPS_H
#define HEDDLE_RUNTIME_VK_HOST_MAPS_H

void host_maps_take(void);
/* "" if it could not be read. */
const char *host_maps_text(void);

#endif
