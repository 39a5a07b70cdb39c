#include "report/formats.h"

#include <string.h>

#include "report/file.h"

static const struct format formats[] = {
	{"text", "report.txt", plain_print}, {"json", "result.json", NULL},
	{"junit", "junit.xml", junit_print}, {"sarif", "result.sarif", sarif_print},
	{"html", "report.html", html_print},
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
	snprintf(path, sizeof(path), "%s/%s", dir, format->file);
	if (file_create(&f, path, p))
		return -1;
	format->print(f.stream, o);
	return file_commit(&f, p);
}

void xml_escape(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			/* XML 1.0 has no way to write most control characters. */
			putc((u8)*text < ' ' && *text != '\n' && *text != '\t' ? '?' : *text, f);
		}
	}
}
