/*
 * instrument.cc: a plugin for gcc that completes its memory instrumentation.
 *
 * -fsanitize=thread tells of loads and stores, but not of structs that are copied by a call itself: an argument passed by
 * value is read, and the place a struct is returned to is written, without a word. This pass, right before gcc's own, adds the
 * calls that are missing:
 *
 *     take(*p);         __tsan_read_range(p, size); take(*p);
 *     *p = make();      *p = make(); __tsan_write_range(p, size);
 *
 * And code that asks to be left out (no_sanitize("thread")) is not left out: what is not instrumented is not interleaved, and
 * nobody would know.
 *
 * Inline assembly that touches memory can't be completed: where it is stands in a section of the object file, from which heddle
 * tells the user (file and line, each terminated by a zero). So does a file that is not instrumented at all.
 *
 * gcc's plugin interface is C++; this is the only file of heddle in that language, and nothing else includes it.
 */
#include <gcc-plugin.h>

#include <tree.h>
#include <gimple.h>
#include <tree-pass.h>
#include <context.h>
#include <gimple-iterator.h>
#include <gimplify.h>
#include <gimplify-me.h>
#include <tree-cfg.h>
#include <cfganal.h>
#include <fold-const.h>
#include <stor-layout.h>
#include <ssa.h>
#include <stringpool.h>
#include <attribs.h>
#include <asan.h>
#include <diagnostic.h>
#include <tree-ssa-alias.h>
#include <memmodel.h>
#include <print-tree.h>
#include <output.h>
#include <stmt.h>
#include <string>
#include <set>

int plugin_is_GPL_compatible;

namespace
{

const pass_data by_value_data = {
	GIMPLE_PASS, "heddle_by_value", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, TODO_update_ssa,
};

/* A struct in memory that another thread could reach. */
bool is_shared_struct(tree object)
{
	if (!object || TREE_CODE(object) == SSA_NAME || is_gimple_min_invariant(object) ||
	    TREE_CODE(object) == CONSTRUCTOR)
		return false;
	tree type = TREE_TYPE(object);
	if (!AGGREGATE_TYPE_P(type) || !COMPLETE_TYPE_P(type) || !tree_fits_uhwi_p(TYPE_SIZE_UNIT(type)) ||
	    tree_to_uhwi(TYPE_SIZE_UNIT(type)) == 0)
		return false;
	tree base = get_base_address(object);
	if (!base || TREE_CODE(base) == RESULT_DECL || TREE_READONLY(base))
		return false;
	return !DECL_P(base) || is_global_var(base) || may_be_aliased(base);
}

gimple_seq tell(tree object, enum built_in_function which, location_t where)
{
	gimple_seq seq = NULL;
	tree address = build_fold_addr_expr(unshare_expr(object));
	TREE_NO_WARNING(address) = 1;
	address = force_gimple_operand(address, &seq, true, NULL_TREE);
	gimple *call = gimple_build_call(
		builtin_decl_implicit(which), 2, address,
		fold_convert(pointer_sized_int_node, TYPE_SIZE_UNIT(TREE_TYPE(object))));
	gimple_set_location(call, where);
	gimple_seq_add_stmt(&seq, call);
	for (gimple_stmt_iterator i = gsi_start(seq); !gsi_end_p(i); gsi_next(&i))
		gimple_set_location(gsi_stmt(i), where);
	return seq;
}

void tell_result(gimple_stmt_iterator *at, gimple *call)
{
	tree to = gimple_call_lhs(call);
	if (!is_shared_struct(to))
		return;
	gimple_seq seq = tell(to, BUILT_IN_TSAN_WRITE_RANGE, gimple_location(call));
	if (!stmt_ends_bb_p(call)) {
		gsi_insert_seq_after(at, seq, GSI_CONTINUE_LINKING);
		return;
	}
	edge e = find_fallthru_edge(gsi_bb(*at)->succs);
	if (e)
		gsi_insert_seq_on_edge(e, seq);
}

void tell_arguments(gimple_stmt_iterator *at, gimple *call)
{
	for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
		tree argument = gimple_call_arg(call, i);
		if (!is_shared_struct(argument) || TREE_ADDRESSABLE(TREE_TYPE(argument)))
			continue;
		gsi_insert_seq_before(at, tell(argument, BUILT_IN_TSAN_READ_RANGE, gimple_location(call)),
				      GSI_SAME_STMT);
	}
}

/* ---- inline assembly ---- */

std::set<std::string> assembly; /* "file:line", or "file": all of it */

/* May the operand lie in memory? */
bool operand_in_memory(tree link)
{
	const char *constraint = TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(link)));
	return strpbrk(constraint, "mo<>V") && !strpbrk(constraint, "rgqQ");
}

/* Nothing, or hints and fences, which touch no memory themselves. */
bool is_idle_text(const char *text)
{
	static const char *const idle[] = {"pause", "rep; nop", "rep;nop", "rep nop",
					   "nop",   "mfence",   "lfence",  "sfence"};
	while (*text == ' ' || *text == '\t' || *text == '\n')
		text++;
	for (const char *one : idle)
		if (!strncmp(text, one, strlen(one)) &&
		    !strpbrk(text + strlen(one), "abcdefghijklmnopqrstuvwxyz%$("))
			return true;
	return !*text;
}

bool touches_memory(gasm *a)
{
	if (is_idle_text(gimple_asm_string(a)))
		return false;
	if (gimple_asm_clobbers_memory_p(a))
		return true;
	for (unsigned i = 0; i < gimple_asm_noutputs(a); i++)
		if (operand_in_memory(gimple_asm_output_op(a, i)))
			return true;
	for (unsigned i = 0; i < gimple_asm_ninputs(a); i++)
		if (operand_in_memory(gimple_asm_input_op(a, i)))
			return true;
	return false;
}

void note_assembly(gasm *a)
{
	expanded_location at = expand_location(gimple_location(a));
	if (at.file && touches_memory(a))
		assembly.insert(std::string(at.file) + ":" + std::to_string(at.line));
}

/*
 * mfence, or the atomic instruction that stands for it, is a fence like that of the language: what comes behind it in relaxed
 * atomics and volatiles is released by it. A barrier for the compiler alone (an empty text) is none.
 */
void tell_fence(gimple_stmt_iterator *at, gasm *a)
{
	const char *text = gimple_asm_string(a);
	if (!gimple_asm_clobbers_memory_p(a) || (!strstr(text, "mfence") && !strstr(text, "lock")))
		return;
	gimple *call = gimple_build_call(builtin_decl_implicit(BUILT_IN_ATOMIC_THREAD_FENCE), 1,
					 build_int_cst(integer_type_node, MEMMODEL_SEQ_CST));
	gimple_set_location(call, gimple_location(a));
	if (!stmt_ends_bb_p(a))
		gsi_insert_after(at, call, GSI_CONTINUE_LINKING);
}

void write_assembly(void *, void *)
{
	if (!(flag_sanitize & SANITIZE_THREAD) && main_input_filename)
		assembly.insert(main_input_filename);
	if (assembly.empty() || !asm_out_file)
		return;
	fputs("\t.pushsection heddle_unseen,\"aR\",@progbits\n", asm_out_file);
	for (const std::string &where : assembly) {
		std::string quoted;
		for (char c : where)
			quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
		fprintf(asm_out_file, "\t.string \"%s\"\n", quoted.c_str());
	}
	fputs("\t.popsection\n", asm_out_file);
}

class by_value_pass : public gimple_opt_pass
{
      public:
	by_value_pass(gcc::context *context, bool for_optimised)
	    : gimple_opt_pass(by_value_data, context), optimised(for_optimised)
	{
	}

	bool gate(function *f) final override
	{
		return sanitize_flags_p(SANITIZE_THREAD, f->decl) && (optimize != 0) == optimised;
	}

	unsigned execute(function *f) final override
	{
		basic_block bb;
		initialize_sanitizer_builtins();
		FOR_EACH_BB_FN(bb, f)
		{
			for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
				gimple *s = gsi_stmt(i);
				if (gasm *a = dyn_cast<gasm *>(s)) {
					note_assembly(a);
					tell_fence(&i, a);
					continue;
				}
				if (!is_gimple_call(s) || gimple_call_internal_p(s))
					continue;
				tell_arguments(&i, s);
				tell_result(&i, s);
			}
		}
		gsi_commit_edge_inserts();
		return 0;
	}

	opt_pass *clone() final override
	{
		return new by_value_pass(m_ctxt, optimised);
	}

      private:
	bool optimised; /* before which of gcc's two passes it stands */
};

void add_before(const char *name, bool optimised, const char *plugin)
{
	register_pass_info info;
	info.pass = new by_value_pass(g, optimised);
	info.reference_pass_name = name;
	info.ref_pass_instance_number = 1;
	info.pos_op = PASS_POS_INSERT_BEFORE;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

/* A function was parsed: the request to leave it out is forgotten. */
void include_function(void *event, void *)
{
	tree f = (tree)event;
	if (TREE_CODE(f) == FUNCTION_DECL && flag_sanitize & SANITIZE_THREAD)
		DECL_ATTRIBUTES(f) = remove_attribute("no_sanitize", DECL_ATTRIBUTES(f));
}

} // namespace

/* gcc's pass is called tsan when it optimises and tsan0 when it does not. heddle cc sees to it that the versions match. */
int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *)
{
	add_before("tsan", true, args->base_name);
	add_before("tsan0", false, args->base_name);
	register_callback(args->base_name, PLUGIN_PRE_GENERICIZE, include_function, NULL);
	register_callback(args->base_name, PLUGIN_FINISH_UNIT, write_assembly, NULL);
	return 0;
}
