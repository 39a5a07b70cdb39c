/*
 * cxx_library.cpp: what libstdc++ does to its objects is looked into: right programs are verified without a word about it.
 *
 * heddle: verdict=verified text~="Verified: "
 * native: exit=0
 * build: -std=c++17
 */
#include <atomic>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>

static std::mutex mutex;
static std::map<std::string, std::list<int>> tree;
static std::set<int> numbers;
static std::unordered_map<std::string, int> table;
static std::stringstream stream;
static std::string text;
static const std::map<int, int> constant{{1, 2}, {2, 3}, {3, 4}};

static void work(int me)
{
	int sum = 0;
	for (auto &i : constant) // everybody may read
		sum += i.second;
	std::list<int> mine{me, 1, 2};
	mine.sort();
	mine.reverse();
	try {
		throw std::runtime_error("number " + std::to_string(sum));
	} catch (const std::exception &e) {
		mine.push_back((int)std::string(e.what()).size());
	}
	std::ostringstream out;
	out << std::hex << me << " " << std::filesystem::path("/a/b.c").filename().string();
	std::lock_guard<std::mutex> hold(mutex);
	tree["all"].splice(tree["all"].end(), mine);
	tree.erase("none");
	numbers.insert(me);
	numbers.erase(1 - me);
	table["t" + std::to_string(me)]++;
	stream << me << ' ';
	stream.seekg(0);
	stream.clear();
	text.append(30, 'a').insert(1, "bc").replace(0, 2, out.str());
	if (std::regex_match(text, std::regex("x+")))
		text.clear();
}

int main()
{
	std::thread one(work, 0), two(work, 1);
	one.join();
	two.join();
	return tree["all"].size() == 8 && table.size() == 2 ? 0 : 1;
}
