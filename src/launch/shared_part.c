#include "launch/shared_part.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/runtime_library.h"
#include "launch/sut.h"

int memory_file_create(const char *name, u64 size, void **out, struct problem *p)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return problem_set(p, "no shared memory (%s)", strerror(errno));
	if (ftruncate(fd, (off_t)size)) {
		problem_set(p, "no shared memory of %lu bytes (%s); raise ulimit -f", size, strerror(errno));
		close(fd);
		return -1;
	}
	*out = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (*out == MAP_FAILED) {
		problem_set(p, "%lu bytes of shared memory cannot be mapped (%s); raise ulimit -v", size,
			    strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

/* Only the workers map it: the controller makes it, zero as it is. */
static int team_file_create(int *out, struct problem *p)
{
	int fd = memfd_create("heddle-team", MFD_CLOEXEC);

	if (fd < 0)
		return problem_set(p, "no shared memory (%s)", strerror(errno));
	if (ftruncate(fd, (off_t)WIRE_TEAM_SIZE)) {
		problem_set(p, "no shared memory for several workers (%s); raise ulimit -f, or use -j 1",
			    strerror(errno));
		close(fd);
		return -1;
	}
	*out = fd;
	return 0;
}

/*
 * Only what is used: the rest is zero there and here, and most of these megabytes were never touched. Of a
 * list, the count says how far it goes.
 */
static void copy_learnt(struct wire_learnt *to, const struct wire_learnt *from)
{
	memcpy(to, from, offsetof(struct wire_learnt, name));
#define COPY_LIST(list, count) \
	memcpy(to->list, from->list, HD_MIN((size_t)(count), HD_ARRAY_LEN(to->list)) * sizeof(to->list[0]))
	COPY_LIST(name, from->names);
	COPY_LIST(observed_addr, from->observed);
	COPY_LIST(cell_range, from->cells);
	COPY_LIST(ordered_unit, from->ordered);
	COPY_LIST(knower, from->knowers);
	COPY_LIST(property_place, from->property_places);
#undef COPY_LIST
}

int shared_part_create(struct shared_part *part, const struct launch *l, u32 workers, struct problem *p)
{
	char runtime[sizeof(l->config.runtime_path)];
	void *memory = NULL;

	part->wire = NULL;
	if (runtime_library_find(runtime, sizeof(runtime), p))
		return -1;
	part->team_fd = -1;
	bool several = workers > 1 || l->save || l->config.search.strategy == SEARCH_SPREAD;
	if (several && team_file_create(&part->team_fd, p))
		return -1;
	part->fd = memory_file_create("heddle-shared", WIRE_SHARED_SIZE, &memory, p);
	if (part->fd < 0 || !memory) {
		if (part->team_fd >= 0)
			close(part->team_fd);
		return -1;
	}
	part->wire = memory;
	part->wire->magic = WIRE_MAGIC;
	part->wire->version = WIRE_VERSION;
	part->wire->workers = workers;
	part->wire->team = several;
	part->wire->config = l->config;
	snprintf(part->wire->config.runtime_path, sizeof(runtime), "%s", runtime);
	if (l->properties && l->properties->compiled)
		part->wire->properties = *l->properties;
	if (l->learnt)
		copy_learnt(&part->wire->learnt, l->learnt);
	if (l->trees)
		memcpy((char *)memory + WIRE_TREES, l->trees, l->trees_len);
	return 0;
}

void shared_part_free(struct shared_part *part)
{
	if (!part->wire)
		return;
	munmap(part->wire, WIRE_SHARED_SIZE);
	close(part->fd);
	if (part->team_fd >= 0)
		close(part->team_fd);
	part->wire = NULL;
}
