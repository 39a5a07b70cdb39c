#include "report/formats.h"

#include <errno.h>
#include <string.h>

#include "report/file.h"
#include "report/json.h"

static const struct format formats[] = {
	{"text", "report.txt", plain_print}, {"json", "result.json", NULL},
	{"junit", "junit.xml", junit_print}, {"sarif", "result.sarif", sarif_print},
	{"html", "report.html", html_print}, {"github", NULL, github_print},
};

const struct format *format_at(size_t n)
{
	return n < HD_ARRAY_LEN(formats) ? &formats[n] : NULL;
}

const struct format *format_by_name(const char *name)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

int format_write(const struct format *format, const struct outcome *o, const char *dir, struct problem *p)
{
	char path[4096];
	struct file f;

	if (!format->print)
		return result_json_write(o, dir, p);
	if (!format->file) {
		format->print(stdout, o);
		return fflush(stdout)
			       ? problem_set(p, "standard output cannot be written: %s", strerror(errno))
			       : 0;
	}
	snprintf(path, sizeof(path), "%s/%s", dir, format->file);
	if (file_create(&f, path, p))
		return -1;
	format->print(f.stream, o);
	return file_commit(&f, p);
}

/* XML 1.0 has no way to write most control characters, nor U+FFFE and U+FFFF. */
static bool xml_has_no_word_for(const char *text, size_t n)
{
	return n == 1 ? (u8)*text < ' ' && *text != '\n' && *text != '\t'
		      : n == 3 && (!memcmp(text, "\xef\xbf\xbe", 3) || !memcmp(text, "\xef\xbf\xbf", 3));
}

void xml_escape(FILE *f, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const words[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	while (*text) {
		const char *found = strchr(special, *text);
		size_t n = utf8_length(text);

		if (found)
			fputs(words[found - special], f);
		else if (n == 0)
			fputs("\xef\xbf\xbd", f); /* U+FFFD: no UTF-8 */
		else if (xml_has_no_word_for(text, n))
			putc('?', f);
		else
			fwrite(text, 1, n, f);
		text += n ? n : 1;
	}
}
