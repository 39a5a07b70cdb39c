/*
 * cxx_containers.cpp: containers whose code is libstdc++'s: trees, lists, hash tables. One thread changes, the other looks, without a lock.
 *
 * heddle: args=map verdict=violation kind=race
 * heddle: args=walk verdict=violation kind=race
 * heddle: args=back verdict=violation kind=race
 * heddle: args=erase verdict=violation kind=race
 * heddle: args=list verdict=violation kind=race
 * heddle: args=splice verdict=violation kind=race
 * heddle: args=hash verdict=violation kind=race
 * heddle: args=key verdict=violation kind=race
 * native: any
 */
#include <cstring>
#include <list>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

static std::map<int, int> tree{{1, 1}, {2, 2}, {3, 3}};
static std::list<int> line{1, 2}, other{3, 4};
static std::unordered_map<std::string, int> table{{"a", 1}};
static std::string key = "one";

int main(int, char **argv)
{
	auto is = [what = argv[1]](const char *name) { return !std::strcmp(what, name); };
	std::thread t([&] {
		if (is("map"))
			tree[4] = 4;
		else if (is("walk") || is("back"))
			tree[5] = 5;
		else if (is("erase"))
			tree.erase(2);
		else if (is("list"))
			line.push_back(3);
		else if (is("splice"))
			line.splice(line.end(), other);
		else if (is("hash"))
			table["b"] = 2;
		else
			key[0] = 'O';
	});
	int sum = 0;
	if (is("map"))
		tree[6] = 6;
	else if (is("back"))
		for (auto i = tree.rbegin(); i != tree.rend(); ++i)
			sum += i->first;
	else if (is("walk") || is("erase"))
		for (auto &i : tree)
			sum += i.first;
	else if (is("list"))
		line.push_front(0);
	else if (is("splice"))
		other.reverse();
	else if (is("hash"))
		table["c"] = 3;
	else
		sum = (int)std::hash<std::string>()(key) & 1;
	t.join();
	return sum == -1;
}
