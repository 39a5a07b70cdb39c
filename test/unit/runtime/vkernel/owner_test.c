/* Every word of the virtual kernel's model belongs to an object: what is changed without a declaration
   shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_sched.h"
#include "runtime/vkernel/core/vk_owner.h"
#include "runtime/vkernel/core/vk_priv.h"

static int fresh_world(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

/* Long tables of one kind, of which the first row is enough. */
#define TABLE(field) \
	{ \
		offsetof(struct vk_model, field), sizeof(vk->field), sizeof(vk->field[0]) \
	}

static u64 next_word(u64 at)
{
	static const struct {
		u64 start, size, row;
	} tables[] = {
		TABLE(pipe), TABLE(sock_data), TABLE(sock),  TABLE(name),
		TABLE(maps), TABLE(epoll),     TABLE(fiber),
	};
	for (u32 i = 0; i < HD_ARRAY_LEN(tables); i++)
		if (at - tables[i].start < tables[i].size && at - tables[i].start >= tables[i].row)
			return tables[i].start + tables[i].size;
	return at + sizeof(u64);
}

static void no_word_is_unknown(void **state)
{
	struct owner o;
	for (u64 at = 0; at < sizeof(*vk); at = next_word(at))
		if (vk_owner((u64)vk + at, &o) && object_class(o.object) == OBJECT_WORLD)
			fail_msg("%s: offset %lu of struct vk_model", o.what, at);
	assert_false(vk_owner((u64)vk + sizeof(*vk), &o));
}

static void process_state_has_one_name(void **state)
{
	struct owner o;
	assert_true(vk_owner((u64)&vk->umask, &o));
	assert_int_equal(o.object, VK_UMASK);
	assert_string_equal(o.what, "the umask");
	for (u32 object = VK_PROCESS_UMASK; object <= VK_PROCESS_SEMAPHORES; object++) {
		const char *name = NULL;
		for (u32 i = 0; i < vk_process_state_count; i++) {
			if (vk_process_state[i].object != object)
				continue;
			if (name)
				assert_string_equal(name, vk_process_state[i].name);
			name = vk_process_state[i].name;
		}
		assert_non_null(name);
	}
}

static void a_free_slot_is_nobodys(void **state)
{
	struct owner o;
	assert_false(vk_owner((u64)&vk->inode[5], &o));
	vk->inode[5].id = 7;
	assert_true(vk_owner((u64)&vk->inode[5], &o));
	vk->inode[5].id = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(no_word_is_unknown, fresh_world),
		cmocka_unit_test_setup(process_state_has_one_name, fresh_world),
		cmocka_unit_test_setup(a_free_slot_is_nobodys, fresh_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
