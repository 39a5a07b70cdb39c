/*
 * What simple operations touch: their object, in one mode.
 */
#include "runtime/sched/access.h"
#include "runtime/sched/op_classes.h"

void op_acquires(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 1, ACCESS_ACQUIRE);
}

void op_releases(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 1, ACCESS_RELEASE);
}

void op_tries(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 1, ACCESS_TRY);
}

void op_reads(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 1, ACCESS_READ);
}

void op_writes(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 1, ACCESS_WRITE);
}

void op_adds(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 1, ACCESS_ADD);
}

void op_touches_world(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)o;
	(void)alt;
	access_declare(WORLD_OBJECT, 1, ACCESS_WRITE);
}
