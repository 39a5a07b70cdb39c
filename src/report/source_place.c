#include "report/source_place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last part of what is there already; its start, NULL when there is none that .. could take back. */
static char *last_part(char *path, char *end)
{
	char *slash = end > path ? memrchr(path, '/', (size_t)(end - path)) : NULL;
	char *part = slash ? slash + 1 : path;

	if (part == end || (end - part == 2 && part[0] == '.' && part[1] == '.'))
		return NULL;
	return part;
}

void source_tidy(char *path)
{
	char *start = path + (*path == '/'), *to = start, *from = start;

	while (*from) {
		size_t n = strcspn(from, "/");
		bool more = from[n] != 0;
		char *back = NULL;

		if (n == 2 && from[0] == '.' && from[1] == '.')
			back = last_part(start, to > start ? to - 1 : to);
		if (back) {
			to = back;
		} else if (n && !(n == 1 && *from == '.')) {
			memmove(to, from, n);
			to += n;
			if (more)
				*to++ = '/';
		}
		from += n + more;
	}
	*to = 0;
}

static bool has_git(const char *dir)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/.git", dir);
	return access(path, F_OK) == 0;
}

void source_root(char *out, size_t cap)
{
	static const char *const names[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"};
	char here[PATH_MAX], up[PATH_MAX];

	for (size_t i = 0; i < HD_ARRAY_LEN(names); i++) {
		const char *named = getenv(names[i]);

		if (named && *named == '/' && realpath(named, here)) {
			snprintf(out, cap, "%s", here);
			return;
		}
	}
	if (!getcwd(here, sizeof(here)))
		snprintf(here, sizeof(here), "/");
	snprintf(up, sizeof(up), "%s", here);
	for (char *slash = up + strlen(up); slash > up; slash = strrchr(up, '/')) {
		*slash = 0;
		if (has_git(up)) {
			snprintf(out, cap, "%s", up);
			return;
		}
	}
	snprintf(out, cap, "%s", strcmp(here, "/") ? here : "");
}

/* An absolute name where that can be had. */
static void absolute(const char *file, char *out, size_t cap)
{
	char here[PATH_MAX];

	if (file[0] != '/' && access(file, F_OK) == 0 && getcwd(here, sizeof(here)))
		snprintf(out, cap, "%s/%s", here, file);
	else
		snprintf(out, cap, "%s", file);
	source_tidy(out);
}

static bool below(const char *dir, const char *file, char *out, size_t cap)
{
	char path[2 * PATH_MAX];
	size_t n = strlen(dir);

	absolute(file, path, sizeof(path));
	if (path[0] == '/' && !strncmp(path, dir, n) && path[n] == '/') {
		snprintf(out, cap, "%s", path + n + 1);
		return true;
	}
	snprintf(out, cap, "%s", path);
	return path[0] != '/'; /* nothing better is known */
}

bool source_from_root(const char *file, char *out, size_t cap)
{
	char root[PATH_MAX];

	source_root(root, sizeof(root));
	return below(root, file, out, cap);
}

void source_from_here(const char *file, char *out, size_t cap)
{
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		here[0] = 0;
	below(here, file, out, cap);
}

void source_uri(const char *path, char *out, size_t cap)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@!$&'()*,;=";
	size_t at = 0;

	for (; *path && at + 4 < cap; path++) {
		if (strchr(plain, *path))
			out[at++] = *path;
		else
			at += (size_t)snprintf(out + at, cap - at, "%%%02X", (u8)*path);
	}
	out[at] = 0;
}
