#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/option_parse.h"
#include "cli/verb_options.h"
#include "script/part.h"

static void tell_part(const struct partition_part *q, u32 number, u64 all, u64 longest)
{
	printf("part %u: %lu transitions, %.2f %%, path of %lu steps", number, q->transitions,
	       100.0 * (double)q->transitions / (double)HD_MAX(all, 1), longest);
	if (q->root > 1)
		printf(", from state %u on", q->root);
	putchar('\n');
}

static bool drop_words(void *self, const u32 *word, u32 n)
{
	(void)self;
	(void)word;
	(void)n;
	return true;
}

static int one_part(struct script *s, const struct partition_part *q, u32 i, u32 k, const char *dir,
		    u64 *longest, u64 *sum, struct problem *p)
{
	const struct tape_sink nowhere = {drop_words, NULL};
	char path[4200];
	u64 bytes;

	if (!dir)
		return script_feed_part(s, q->interval, q->intervals, &nowhere, longest, sum, p);
	snprintf(path, sizeof(path), "%.4000s/part-%u.script", dir, i);
	return script_part_write(s, q, i, k, path, longest, sum, &bytes, p);
}

static int partition(const struct partition_options *o, const char *file, u32 k, struct problem *p)
{
	struct partition parts = {0};
	struct script s;
	u64 largest = 0, longest = 0, sum = 0;
	int ret = script_open(&s, file, p);

	if (ret)
		return -1;
	if (s.reduced)
		ret = problem_set(
			p,
			"%s was made with partial-order reduction and is followed as a whole; heddle "
			"check --por off makes a script that can be cut",
			file);
	if (ret == 0 && o->output && mkdir(o->output, 0777) && errno != EEXIST)
		ret = problem_set(p, "the folder %s cannot be made: %s", o->output, strerror(errno));
	if (ret == 0)
		ret = partition_make(&parts, &s, k, o->subgraphs, p);
	for (u32 i = 0; ret == 0 && i < parts.parts; i++) {
		u64 path = 0, paths = 0;
		/* Without a folder to write to, only what is asked for is looked up. */
		if (o->output || !o->quick)
			ret = one_part(&s, &parts.part[i], i + 1, k, o->output, &path, &paths, p);
		largest = HD_MAX(largest, parts.part[i].transitions);
		longest = HD_MAX(longest, path);
		sum += paths;
		if (ret == 0 && !o->quiet)
			tell_part(&parts.part[i], i + 1, s.transitions, path);
	}
	if (ret == 0)
		printf("%u parts of %lu transitions: largest %.2f %% (%.3f of the ideal), paths of %.1f "
		       "steps on "
		       "average, %lu at most; %.1f processors are useful\n",
		       k, s.transitions, 100.0 * (double)largest / (double)HD_MAX(s.transitions, 1),
		       (double)largest * k / (double)HD_MAX(s.transitions, 1), (double)sum / k, longest,
		       largest ? (double)s.transitions / (double)largest : 1.0);
	partition_free(&parts);
	script_close(&s);
	return ret;
}

int verb_partition(int argc, char **argv)
{
	struct partition_options o = {0};
	struct verb_words words;
	struct problem p;

	if (option_parse_verb(&partition_option_list, &o, argc, argv, &words, &p))
		return complain_usage("partition", "%s", p.text);
	if (!words.operand)
		return complain_usage("partition", "no script given: heddle partition SCRIPT -k K");
	if (!o.parts || o.parts > MAX_PARTS)
		return complain_usage("partition", "-k: how many parts, from 1 to %u", MAX_PARTS);
	return partition(&o, words.operand, (u32)o.parts, &p) ? complain(&p) : 0;
}
