/*
 * variables_roots.c: where variables are: globals by their fixed addresses, locals by their location
 * expressions in the frames of a stack. What an optimiser has moved away has no place, and is left out.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/variables_priv.h"

#define EVAL_STACK 32

void value_roots_add(struct value_roots *to, const struct value_root *root)
{
	if (to->n == VALUE_ROOTS)
		return;
	if (to->n == to->room) {
		size_t room = to->room ? 2 * to->room : 64;
		struct value_root *grown = realloc(to->root, room * sizeof(*grown));

		if (!grown)
			return;
		to->root = grown;
		to->room = room;
	}
	to->root[to->n++] = *root;
}

/* What an expression may ask for. */
struct value_place {
	struct symbols *s;
	Dwfl_Frame *frame; /* NULL: no registers */
	u64 cfa, base;     /* DW_OP_call_frame_cfa, DW_OP_fbreg; 0: not known */
	u64 bias;
};

enum found { FOUND_NOTHING, FOUND_MEMORY, FOUND_VALUE };

static bool get_register(const struct value_place *p, unsigned number, u64 *value)
{
	Dwarf_Word word;

	if (!p->frame || dwfl_frame_reg(p->frame, number, &word) != 0)
		return false;
	*value = word;
	return true;
}

struct value_machine {
	u64 stack[EVAL_STACK];
	size_t depth;
};

static bool push(struct value_machine *m, u64 value)
{
	if (m->depth == EVAL_STACK)
		return false;
	m->stack[m->depth++] = value;
	return true;
}

/* Constants, registers and what else pushes a value; false: not one of them, or it has none here. */
static bool evaluate_push(struct value_machine *m, const struct value_place *p, Dwarf_Attribute *attr,
			  Dwarf_Op *op)
{
	Dwarf_Attribute indexed;
	Dwarf_Addr at;
	u64 value;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return get_register(p, op->atom - DW_OP_breg0, &value) && push(m, value + op->number);
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(m, op->atom - DW_OP_lit0);
	switch (op->atom) {
	case DW_OP_addr:
		return push(m, op->number + p->bias);
	case DW_OP_addrx:
		return attr && !dwarf_getlocation_attr(attr, op, &indexed) &&
		       !dwarf_formaddr(&indexed, &at) && push(m, at + p->bias);
	case DW_OP_bregx:
		return get_register(p, (unsigned)op->number, &value) && push(m, value + op->number2);
	case DW_OP_fbreg:
		return p->base && push(m, p->base + op->number);
	case DW_OP_call_frame_cfa:
		return p->cfa && push(m, p->cfa);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(m, op->number);
	default:
		return false;
	}
}

static bool evaluate_compute(struct value_machine *m, const struct value_place *p, Dwarf_Op *op)
{
	u64 *top = m->depth ? &m->stack[m->depth - 1] : NULL;

	if (!top)
		return false;
	if (op->atom == DW_OP_plus_uconst) {
		*top += op->number;
		return true;
	}
	if (op->atom == DW_OP_deref)
		return symbols_peek(p->s, *top, top, sizeof(*top));
	if (m->depth < 2)
		return false;
	m->depth--;
	switch (op->atom) {
	case DW_OP_plus:
		top[-1] += *top;
		return true;
	case DW_OP_minus:
		top[-1] -= *top;
		return true;
	case DW_OP_and:
		top[-1] &= *top;
		return true;
	default:
		return false;
	}
}

/* Pieces, entry values and what else is seldom are nothing. */
static enum found evaluate(const struct value_place *p, Dwarf_Attribute *attr, Dwarf_Op *op, size_t n,
			   u64 *out)
{
	struct value_machine m = {.depth = 0};

	if (n == 1 && op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return get_register(p, op->atom - DW_OP_reg0, out) ? FOUND_VALUE : FOUND_NOTHING;
	for (size_t i = 0; i < n; i++) {
		if (op[i].atom == DW_OP_stack_value && i + 1 == n && m.depth) {
			*out = m.stack[m.depth - 1];
			return FOUND_VALUE;
		}
		if (!evaluate_push(&m, p, attr, &op[i]) && !evaluate_compute(&m, p, &op[i]))
			return FOUND_NOTHING;
	}
	if (!m.depth)
		return FOUND_NOTHING;
	*out = m.stack[m.depth - 1];
	return FOUND_MEMORY;
}

static bool type_of_variable(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/* Adds the variable `die`, if it can be found at `pc`. `like`: what it shares with others of its frame. */
static void add_variable(const struct value_place *p, struct value_types *types, Dwarf_Die *die, u64 pc,
			 const struct value_root *like, struct value_roots *to)
{
	struct value_root root = *like;
	Dwarf_Attribute attr;
	const char *name = dwarf_diename(die);
	Dwarf_Die type;
	Dwarf_Op *op;
	size_t n;
	u64 at;

	if (!name || !name[0] || !strncmp(name, "__", 2) || strchr(name, '{'))
		return;
	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation_addr(&attr, pc, &op, &n, 1) != 1 ||
	    !n)
		return;
	switch (evaluate(p, &attr, op, n, &at)) {
	case FOUND_MEMORY:
		root.address = at;
		break;
	case FOUND_VALUE:
		root.value = at;
		break;
	default:
		return;
	}
	if (!type_of_variable(die, &type) || !(root.type = value_type_of(types, &type)) ||
	    !root.type->parts || (!root.address && root.type->size > sizeof(root.value)))
		return;
	snprintf(root.name, sizeof(root.name), "%s", name);
	if (dwarf_tag(die) == DW_TAG_variable && !dwarf_decl_line(die, &root.declared))
		root.fresh = like->line && root.line <= root.declared;
	value_roots_add(to, &root);
}

/* --- locals --- */

struct frame_walk {
	struct symbols *s;
	struct value_types *types;
	struct value_roots *to;
	u32 thread;
};

static u64 cfa_of(const struct value_place *p, Dwfl_Module *m, u64 pc)
{
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(m, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *op;
	size_t n;
	u64 cfa = 0;

	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
		return 0;
	if (dwarf_frame_cfa(frame, &op, &n) || evaluate(p, NULL, op, n, &cfa) == FOUND_NOTHING)
		cfa = 0;
	free(frame);
	return cfa;
}

static void add_block(const struct value_place *p, struct frame_walk *w, Dwarf_Die *block, u64 pc,
		      const struct value_root *like)
{
	Dwarf_Die die;

	if (dwarf_child(block, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			add_variable(p, w->types, &die, pc, like, w->to);
		else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
			 dwarf_haspc(&die, pc) == 1)
			add_block(p, w, &die, pc, like);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* As in symbols_lines.c: entries without a readable range don't have the address. */
static bool find_function(Dwarf_Die *parent, u64 pc, Dwarf_Die *found)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && dwarf_haspc(&die, pc) == 1) {
			*found = die;
			return true;
		}
		if ((tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
		     tag == DW_TAG_enumeration_type || tag == DW_TAG_union_type) &&
		    find_function(&die, pc, found))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static Dwarf_Die *unit_at(Dwfl_Module *m, u64 pc, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(m, pc, bias);

	if (cu && dwarf_haspc(cu, pc - *bias) == 1)
		return cu;
	for (cu = dwfl_module_nextcu(m, NULL, bias); cu; cu = dwfl_module_nextcu(m, cu, bias))
		if (dwarf_haspc(cu, pc - *bias) == 1)
			return cu;
	return NULL;
}

static bool frame_is_interesting(struct symbols *s, u64 pc, struct frame *frame)
{
	struct frame frames[FRAMES_MAX];
	size_t n = symbols_locate(s, pc, false, frames, FRAMES_MAX);

	if (!n)
		return false;
	/* The function that has code of its own; those before it are inlined into it. */
	*frame = frames[n - 1];
	return frame->file[0] && !frame_is_library(frame);
}

static int one_frame(Dwfl_Frame *state, void *arg)
{
	struct frame_walk *w = arg;
	struct value_root like = {.thread = w->thread};
	struct value_place p = {.s = w->s, .frame = state};
	const struct symbols_module *m;
	struct frame frame;
	Dwarf_Addr pc, bias;
	bool activation;
	Dwarf_Die *cu, function;
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	if (!dwfl_frame_pc(state, &pc, &activation))
		return DWARF_CB_ABORT;
	pc -= !activation;
	m = symbols_module_of(w->s, pc);
	if (!m || m->is_runtime || symbols_is_hook(w->s, pc) || !frame_is_interesting(w->s, pc, &frame))
		return DWARF_CB_OK;
	cu = unit_at(m->dwfl, pc, &bias);
	if (!cu || !find_function(cu, pc - bias, &function))
		return DWARF_CB_OK;
	p.bias = bias;
	p.cfa = cfa_of(&p, m->dwfl, pc);
	if (dwarf_attr(&function, DW_AT_frame_base, &attr) && !dwarf_getlocation(&attr, &op, &n)) {
		if (n == 1 && op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
			if (!get_register(&p, op->atom - DW_OP_reg0, &p.base))
				p.base = 0;
		} else if (evaluate(&p, &attr, op, n, &p.base) == FOUND_NOTHING) {
			p.base = 0;
		}
	}
	like.frame = p.cfa;
	like.line = frame.line;
	snprintf(like.function, sizeof(like.function), "%.63s", frame.function);
	add_block(&p, w, &function, pc - bias, &like);
	return w->to->n < VALUE_ROOTS ? DWARF_CB_OK : DWARF_CB_ABORT;
}

void value_roots_stack(struct symbols *s, struct value_types *types, u32 thread, const struct wire_regs *regs,
		       struct value_roots *to)
{
	struct frame_walk w = {s, types, to, thread};

	symbols_walk(s, regs, one_frame, &w);
}

/* --- globals --- */

static bool is_library_unit(Dwarf_Die *cu)
{
	static const char *const folders[] = {"/usr/", "/rustc/", "library/"};
	const char *name = dwarf_diename(cu);

	for (size_t i = 0; i < HD_ARRAY_LEN(folders); i++)
		if (!name || !strncmp(name, folders[i], strlen(folders[i])))
			return true;
	return strstr(name, "/.cargo/registry/") != NULL;
}

static void add_statics(const struct value_place *p, struct value_types *types, Dwarf_Die *parent, int depth,
			struct value_roots *to)
{
	static const struct value_root like = {0};
	Dwarf_Die die;

	if (depth > 8 || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		Dwarf_Attribute attr;
		const char *name = dwarf_diename(&die);

		if (tag == DW_TAG_variable && dwarf_attr(&die, DW_AT_location, &attr))
			add_variable(p, types, &die, 0, &like, to);
		else if ((tag == DW_TAG_namespace && !(name && !strcmp(name, "std"))) ||
			 tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)
			add_statics(p, types, &die, depth + 1, to);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static bool is_system_module(const struct symbols_module *m)
{
	const char *file = NULL, *name = dwfl_module_info(m->dwfl, NULL, NULL, NULL, NULL, NULL, &file, NULL);

	name = file ? file : name;
	return m->is_runtime || !name || !strncmp(name, "/usr/lib", 8) || !strncmp(name, "/lib", 4) ||
	       name[0] == '[';
}

void value_roots_static(struct symbols *s, struct value_types *types, struct value_roots *to)
{
	for (size_t i = 0; i < s->modules; i++) {
		Dwarf_Die *cu = NULL;
		Dwarf_Addr bias;

		if (is_system_module(&s->module[i]))
			continue;
		while ((cu = dwfl_module_nextcu(s->module[i].dwfl, cu, &bias))) {
			const struct value_place p = {.s = s, .bias = bias};

			if (!is_library_unit(cu))
				add_statics(&p, types, cu, 0, to);
		}
	}
}
