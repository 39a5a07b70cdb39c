/*
 * property_eval.h: evaluates the byte code of a property (wire/wire_property.h). Pure: memory is read
 * through a function, so that tests run it on their own.
 *
 * Integers are computed as C does on this machine, and wrap around. What has no value in C has none here,
 * and says why: a null pointer or memory that is not there, an index outside its array, division by zero, a
 * shift by the number of bits or more.
 */
#ifndef HEDDLE_RUNTIME_PROPERTY_EVAL_H
#define HEDDLE_RUNTIME_PROPERTY_EVAL_H

#include "base/text.h"
#include "wire/wire_property.h"

enum property_trouble {
	PROPERTY_FINE = 0,
	PROPERTY_NULL,     /* a null pointer was to be followed */
	PROPERTY_UNMAPPED, /* there is no memory */
	PROPERTY_OUTSIDE,  /* an index is outside its array */
	PROPERTY_BY_ZERO,
	PROPERTY_SHIFT,
	PROPERTY_BROKEN, /* this is no code of ours */
};

struct property_value {
	u64 bits;    /* a double as it lies in memory */
	u32 trouble; /* enum property_trouble; else bits count */
	u32 text;    /* what was to be read, then; 0: not known */
	u64 detail;  /* the address, or the index */
};

struct property_memory {
	void *self;
	/* False: there is no such memory. */
	bool (*read)(void *self, u64 address, void *to, u32 bytes);
};

/* kept[i]: the value before the step of the i-th term of the property. */
struct property_value property_eval(const struct wire_properties *all, struct property_code code,
				    const struct property_value *kept, const struct property_memory *memory);

/* "null pointer", with what was to be read. */
void property_trouble_text(const struct wire_properties *all, const struct property_value *v, struct text *t);
/* The value as the term's type shows it. */
void property_value_text(const struct wire_properties *all, const struct property_term *term,
			 const struct property_value *v, struct text *t);

#endif
