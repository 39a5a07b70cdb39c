#include "report/trees_pack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 3

u8 *trees_pack(const void *bytes, u64 len, size_t *packed)
{
	size_t room = ZSTD_compressBound(len), n;
	u8 *out = malloc(room);
	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (out && z) {
		ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(z, out, room, bytes, len);
		if (!ZSTD_isError(n)) {
			ZSTD_freeCCtx(z);
			*packed = n;
			return out;
		}
	}
	ZSTD_freeCCtx(z);
	free(out);
	return NULL;
}

void *trees_unpack(const u8 *packed, size_t n, u64 len)
{
	void *out;

	/* A file may claim any size; what is packed in it must say the same before memory is taken for it. */
	if (ZSTD_getFrameContentSize(packed, n) != len)
		return NULL;
	out = calloc(1, len ? len : 1);
	if (out && ZSTD_decompress(out, len, packed, n) == len)
		return out;
	free(out);
	return NULL;
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_text(const u8 *bytes, size_t n)
{
	char *out = malloc((n + 2) / 3 * 4 + 1);
	size_t at = 0;

	for (size_t i = 0; out && i < n; i += 3) {
		u32 left = (u32)HD_MIN(n - i, 3);
		u32 v = (u32)bytes[i] << 16 | (left > 1 ? (u32)bytes[i + 1] << 8 : 0) |
			(left > 2 ? bytes[i + 2] : 0);

		out[at++] = digits[v >> 18];
		out[at++] = digits[v >> 12 & 63];
		out[at++] = left > 1 ? digits[v >> 6 & 63] : '=';
		out[at++] = left > 2 ? digits[v & 63] : '=';
	}
	if (out)
		out[at] = 0;
	return out;
}

/* The values of four digits, and how many bytes they stand for; 0: they are none. */
static u32 quad_value(const char *text, bool last, u32 *value)
{
	u32 pad = 0;

	*value = 0;
	for (u32 i = 0; i < 4; i++) {
		const char *d = text[i] && text[i] != '=' ? strchr(digits, text[i]) : NULL;

		if (text[i] == '=' && last && i >= 2)
			pad++;
		else if (!d || pad)
			return 0;
		*value = *value << 6 | (d ? (u32)(d - digits) : 0);
	}
	return 3 - pad;
}

u8 *base64_parse(const char *text, size_t *n)
{
	size_t len = strlen(text), i, at = 0;
	u8 *out = len % 4 ? NULL : malloc(len / 4 * 3 + 1);

	for (i = 0; out && i < len; i += 4) {
		u32 value, bytes = quad_value(text + i, i + 4 == len, &value);

		if (!bytes) {
			free(out);
			return NULL;
		}
		out[at] = (u8)(value >> 16);
		if (bytes > 1)
			out[at + 1] = (u8)(value >> 8);
		if (bytes > 2)
			out[at + 2] = (u8)value;
		at += bytes;
	}
	*n = at;
	return out;
}
