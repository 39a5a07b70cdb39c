/*
 * lexer.c: words of an expression. A name may have its file before it, file.c:name, without blanks: what
 * looks like that is one word, so the colon of a ?: that comes behind a member has a blank beside it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "property/property_priv.h"

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_word(char c)
{
	return is_letter(c) || isdigit((unsigned char)c);
}

static size_t word_len(const char *s)
{
	size_t n = 0;

	while (is_word(s[n]))
		n++;
	return n;
}

static void wrong(struct token *t, const char *why)
{
	t->kind = TOKEN_WRONG;
	t->wrong = why;
}

/* "src/a-b.c:" before a name: its length, 0 if there is none. */
static size_t file_len(const char *s)
{
	static const char *const ends[] = {"c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "rs", "m"};
	size_t n = 0, dot = 0;

	while (is_word(s[n]) || s[n] == '.' || s[n] == '/' || s[n] == '-' || s[n] == '+') {
		if (s[n] == '.')
			dot = n;
		n++;
	}
	if (!dot || s[n] != ':' || s[n + 1] == ':' || !is_letter(s[n + 1]))
		return 0;
	for (size_t i = 0; i < HD_ARRAY_LEN(ends); i++)
		if (n - dot - 1 == strlen(ends[i]) && !memcmp(s + dot + 1, ends[i], n - dot - 1))
			return n;
	return 0;
}

static void name(const char *s, struct token *t)
{
	size_t file = file_len(s), n = file ? file + 1 : 0, start = n;

	for (;;) {
		n += word_len(s + n);
		if (s[n] != ':' || s[n + 1] != ':' || !is_letter(s[n + 2]))
			break;
		n += 2;
	}
	t->kind = TOKEN_NAME;
	t->len = (u32)n;
	if (file >= sizeof(t->file) || n - start >= sizeof(t->name)) {
		wrong(t, "the name is too long");
		return;
	}
	memcpy(t->file, s, file);
	memcpy(t->name, s + start, n - start);
}

/* C's rule for the type of a constant. */
static u32 constant_type(u64 v, bool decimal, bool is_unsigned, bool is_long)
{
	if (!is_unsigned && !is_long && v <= INT32_MAX)
		return PROPERTY_I32;
	if (!is_long && v <= UINT32_MAX && (is_unsigned || !decimal))
		return PROPERTY_U32;
	if (!is_unsigned && v <= INT64_MAX)
		return PROPERTY_I64;
	return PROPERTY_U64;
}

static void floating(const char *s, struct token *t)
{
	char *end;
	double d = strtod(s, &end);

	t->kind = TOKEN_FLOAT;
	t->type = sizeof(double);
	if (*end == 'f' || *end == 'F') {
		t->type = sizeof(float);
		d = (float)d;
		end++;
	}
	memcpy(&t->value, &d, sizeof(d));
	t->len = (u32)(end - s);
	if (is_word(*end))
		wrong(t, "not a number");
}

static void number(const char *s, struct token *t)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X'),
	     binary = s[0] == '0' && (s[1] == 'b' || s[1] == 'B');
	size_t n = strspn(s, "0123456789");
	bool is_unsigned = false, is_long = false;
	char *end;

	if (!hex && !binary && (s[n] == '.' || s[n] == 'e' || s[n] == 'E')) {
		floating(s, t);
		return;
	}
	errno = 0;
	t->value = strtoull(binary ? s + 2 : s, &end, binary ? 2 : 0);
	for (; *end && strchr("uUlL", *end); end++) {
		is_unsigned |= *end == 'u' || *end == 'U';
		is_long |= *end == 'l' || *end == 'L';
	}
	t->kind = TOKEN_NUMBER;
	t->len = (u32)(end - s);
	t->type = constant_type(t->value, s[0] != '0', is_unsigned, is_long);
	if (errno || is_word(*end))
		wrong(t, errno ? "the number is too large" : "not a number");
}

static void character(const char *s, struct token *t)
{
	static const char escapes[] = "n\nt\tr\r0\0\\\\'\'\"\"a\ab\bf\fv\v";
	char *end = NULL;
	u32 len = 2;
	char c = s[1];

	if (c == '\\' && s[2] == 'x') {
		c = (char)strtoul(s + 3, &end, 16);
		len = (u32)(end - s);
	} else if (c == '\\') {
		for (size_t i = 0; i + 1 < sizeof(escapes); i += 2)
			if (s[2] && escapes[i] == s[2]) {
				c = escapes[i + 1];
				len = 3;
			}
	}
	t->kind = TOKEN_NUMBER;
	t->type = PROPERTY_I32;
	t->value = (u64)(int64_t)c;
	t->len = len + 1;
	if (!s[1] || s[1] == '\'' || s[len] != '\'') {
		t->len = 1;
		wrong(t, "not a character like 'a'");
	}
}

static void operator_(const char *s, struct token *t)
{
	static const char *const known[] = {"==>", "->", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>",
					    "+",   "-",  "*",  "/",  "%",  "<",  ">",  "&",  "|",  "^",
					    "!",   "~",  "?",  ":",  "(",  ")",  "[",  "]",  "."};

	for (size_t i = 0; i < HD_ARRAY_LEN(known); i++)
		if (!strncmp(s, known[i], strlen(known[i]))) {
			t->kind = TOKEN_OPERATOR;
			t->len = (u32)strlen(known[i]);
			strcpy(t->name, known[i]);
			return;
		}
	t->len = 1;
	wrong(t, *s == '=' ? "= assigns; to compare, write ==" : "this has no meaning here");
}

void lexer_next(const char *text, u32 at, struct token *out)
{
	memset(out, 0, sizeof(*out));
	while (isspace((unsigned char)text[at]))
		at++;
	out->at = at;
	const char *s = text + at;

	if (!*s)
		out->kind = TOKEN_END;
	else if (is_letter(*s))
		name(s, out);
	else if (isdigit((unsigned char)*s))
		number(s, out);
	else if (*s == '.' && isdigit((unsigned char)s[1]))
		floating(s, out);
	else if (*s == '\'')
		character(s, out);
	else
		operator_(s, out);
}
