/* Tracked memory: everything at random, against the plain copy. */
#include <stdlib.h>

#include "track_fixture.h"

#define HISTORY 60

static struct {
	u64 random;
	struct world at[HISTORY]; /* at[i]: the memory at mark base + i */
	u64 mark[HISTORY];
	u32 marks;
	void *blob;
} play;

static u32 draw(u32 below)
{
	play.random = play.random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((play.random >> 33) % below);
}

static void history_push(u64 mark)
{
	play.at[play.marks] = world;
	play.mark[play.marks++] = mark;
}

static void history_restart(void)
{
	play.marks = 0;
	history_push(track_mark());
}

/* Most writes go to few pages, so that the others cool down; many set what is there, or zero. */
static void random_writes(void)
{
	for (u32 n = draw(12); n; n--) {
		u32 area = draw(AREAS), page = draw(8) ? area : draw(AREA_PAGES);
		u32 word = page * 512 + draw(draw(4) ? 20 : 512);
		world_set(area, word, draw(3) ? draw(4) : play.random);
	}
}

static void random_step(void)
{
	random_writes();
	history_push(world_commit(draw(4) ? 0 : 1 + draw(AREA_WORDS - 1)));
}

static void random_undo(void)
{
	u32 to = draw(play.marks);
	track_undo(play.mark[to]);
	world = play.at[to];
	play.marks = to + 1;
}

/* Back and perhaps forth again by a delta. The log is empty then. */
static void random_delta(void)
{
	u32 from = draw(play.marks);
	struct world newer = world;
	play.blob = realloc(play.blob, track_delta_size(play.mark[from]));
	track_delta_save(play.mark[from], play.blob);
	track_delta_apply(play.blob);
	world = play.at[from];
	assert_world();
	if (draw(2)) {
		track_delta_apply(play.blob);
		world = newer;
	}
	history_restart();
}

/* Idle commits; now and then so many that everything is cold. */
static void random_rest(void)
{
	if (!draw(10))
		all_cold();
	for (u32 n = draw(300); n; n--)
		track_commit(NULL);
}

static void random_forget(void)
{
	track_forget();
	history_restart();
}

static void random_action(void)
{
	u32 which = draw(100);
	if (play.marks == HISTORY || which < 20)
		random_undo();
	else if (which < 25)
		random_delta();
	else if (which < 26)
		random_forget();
	else if (which < 28)
		random_rest();
	else
		random_step();
}

static void random_life(u64 seed, u32 steps)
{
	play.random = seed;
	history_restart();
	u64 faults_before = faults();
	for (u32 i = 0; i < steps; i++) {
		random_action();
		const char *wrong = world_wrong();
		if (wrong)
			fail_msg("seed %lu, step %u: %s", seed, i, wrong);
	}
	assert_true(faults() > faults_before + 10); /* pages did come and go */
}

static void random_lives(void)
{
	for (u64 seed = 1; seed <= 4; seed++) {
		track_forget();
		random_life(seed, 3000);
	}
	free(play.blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(random_lives),
	};
	return cmocka_run_group_tests_name("track_random", tests, make_world, NULL);
}
