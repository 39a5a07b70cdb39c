// Trees and lists as the hooks do them, against sorted vectors; and the library's own check of a tree's form.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <set>
#include <vector>

static unsigned state = 12345;

static unsigned next(unsigned n)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % n;
}

// A set whose form can be looked at: every way down has the same number of black nodes, no red one has a red child.
struct Node {
	int colour; // 0: red
	Node *parent, *left, *right;
};

static int height(const Node *n, const Node *parent)
{
	if (!n)
		return 1;
	if (n->parent != parent)
		std::abort();
	if (n->colour == 0 && ((n->left && n->left->colour == 0) || (n->right && n->right->colour == 0)))
		std::abort();
	int left = height(n->left, n), right = height(n->right, n);
	if (left != right)
		std::abort();
	return left + (n->colour != 0);
}

static void check(const std::set<unsigned> &s, const std::vector<unsigned> &model)
{
	if (!std::equal(s.begin(), s.end(), model.begin(), model.end()) ||
	    !std::equal(s.rbegin(), s.rend(), model.rbegin(), model.rend()))
		std::abort();
	// The header lies behind the comparison; end() points to it.
	auto end = s.end();
	const Node *header = *reinterpret_cast<const Node *const *>(&end), *root = header->parent;
	if (header->colour != 0 || (root && root->colour == 0))
		std::abort();
	height(root, header);
}

static void trees()
{
	std::set<unsigned> s;
	std::vector<unsigned> model;
	for (int i = 0; i < 4000; i++) {
		unsigned value = next(120);
		auto at = std::lower_bound(model.begin(), model.end(), value);
		bool there = at != model.end() && *at == value;
		if (i % 1000 < 500 ? next(3) > 0 : next(3) == 0) {
			if (s.insert(value).second == there)
				std::abort();
			if (!there)
				model.insert(at, value);
		} else {
			if ((s.erase(value) != 0) != there)
				std::abort();
			if (there)
				model.erase(at);
		}
		check(s, model);
	}
	while (!s.empty()) {
		s.erase(next(2) ? s.begin() : std::prev(s.end()));
	}
	check(s, {});
	std::map<int, int> one{{1, 2}}, two(one);
	two[3] = 4;
	one.swap(two);
	if (one.size() != 2 || two.size() != 1 || std::prev(one.end())->second != 4)
		std::abort();
}

static void lists()
{
	std::list<int> a{3, 1, 2}, b{9, 8}, empty;
	a.sort();
	a.reverse();
	b.splice(std::next(b.begin()), a, std::next(a.begin()), a.end());
	if (a != std::list<int>{3} || b != std::list<int>{9, 2, 1, 8})
		std::abort();
	a.swap(b);
	b.swap(empty);
	if (a != std::list<int>{9, 2, 1, 8} || !b.empty() || empty != std::list<int>{3})
		std::abort();
	a.remove(2);
	a.merge(empty);
	a.push_front(0);
	a.reverse();
	if (a.size() != 5 || a.back() != 0 || std::list<int>(a.rbegin(), a.rend()).front() != 0)
		std::abort();
	a.swap(a);
	a.clear();
	a.reverse();
}

int main()
{
	trees();
	lists();
	std::puts("right");
	return 0;
}
