#include "script/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/elf_file.h"

static struct script_module *add(struct modules *m)
{
	struct script_module *grown;

	if (m->count == MODULES_MAX)
		return NULL;
	grown = realloc(m->module, (m->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	m->module = grown;
	memset(&grown[m->count], 0, sizeof(*grown));
	return &grown[m->count++];
}

static void add_mapping(struct modules *m, u64 start, u64 end, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct elf_file elf;
	struct script_module *to;

	for (u32 i = 0; i < m->count; i++)
		if (!strcmp(m->module[i].path, path)) {
			if (!m->module[i].start || start < m->module[i].start)
				m->module[i].start = start;
			m->module[i].end = HD_MAX(m->module[i].end, end);
			return;
		}
	if (slash && !strcmp(slash, "/libheddle-rt.so"))
		return; /* the checker's own: another build of it may follow the script */
	elf_file_read(path, &elf);
	if (elf.kind != ELF_FILE_PROGRAM || !(to = add(m)))
		return;
	to->start = start;
	to->end = end;
	snprintf(to->path, sizeof(to->path), "%s", path);
	snprintf(to->name, sizeof(to->name), "%.255s", slash ? slash + 1 : path);
	if (elf.build_id[0])
		snprintf(to->build_id, sizeof(to->build_id), "%s", elf.build_id);
	else
		snprintf(to->build_id, sizeof(to->build_id), "content-%016lx", elf.content_hash);
}

void modules_look(struct modules *m, pid_t pid)
{
	char name[64], line[4400];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		u64 start, end;
		char *path = strchr(line, '/'), *newline = strchr(line, '\n');

		if (newline)
			*newline = 0;
		if (path && !strstr(path, "memfd:") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			add_mapping(m, start, end, path);
	}
	if (f)
		fclose(f);
}

u32 modules_find(const struct modules *m, u64 pc)
{
	for (u32 i = 0; i < m->count; i++)
		if (pc >= m->module[i].start && pc < m->module[i].end)
			return i + 1;
	return 0;
}

json_t *modules_json(const struct modules *m)
{
	json_t *list = json_array();

	for (u32 i = 0; i < m->count; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", m->module[i].name, "build_id",
						      m->module[i].build_id));
	return list;
}

int modules_load(struct modules *m, const json_t *list)
{
	if (!json_is_array(list) || json_array_size(list) > MODULES_MAX)
		return -1;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(j, "name"));
		const char *id = json_string_value(json_object_get(j, "build_id"));
		struct script_module *to = name && id ? add(m) : NULL;

		if (!to || snprintf(to->name, sizeof(to->name), "%s", name) >= (int)sizeof(to->name) ||
		    snprintf(to->build_id, sizeof(to->build_id), "%s", id) >= (int)sizeof(to->build_id))
			return -1;
	}
	return 0;
}

const struct script_module *modules_same(const struct modules *m, const struct script_module *like,
					 bool *other_build)
{
	*other_build = false;
	for (u32 i = 0; i < m->count; i++) {
		if (strcmp(m->module[i].name, like->name))
			continue;
		if (!strcmp(m->module[i].build_id, like->build_id))
			return &m->module[i];
		*other_build = true;
	}
	return NULL;
}

void modules_free(struct modules *m)
{
	free(m->module);
	memset(m, 0, sizeof(*m));
}
