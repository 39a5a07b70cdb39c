/*
 * cxx_objects.cpp: objects of libstdc++ that its own functions work on: strings of C++17, streams, locales, exceptions, names of files.
 *
 * heddle: args=append verdict=violation kind=race
 * heddle: args=replace verdict=violation kind=race
 * heddle: args=str verdict=violation kind=race
 * heddle: args=clear verdict=violation kind=race
 * heddle: args=seek verdict=violation kind=race
 * heddle: args=open verdict=violation kind=race
 * heddle: args=locale verdict=violation kind=race
 * heddle: args=error verdict=violation kind=race
 * heddle: args=path verdict=violation kind=race
 * heddle: args=cast verdict=violation kind=race
 * native: any
 * build: -std=c++17
 */
#include <cstring>
#include <filesystem>
#include <fstream>
#include <locale>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

struct Base {
	virtual ~Base() = default;
};
struct Derived : Base {
	int n = 0;
};

static std::string text = "a text that is too long to lie inside";
static std::stringstream stream("1 2 3");
static std::ofstream file;
static std::locale place;
static std::filesystem::path name = "/tmp/x";
alignas(Derived) static char room[sizeof(Derived)];
static Base *volatile base;

int main(int, char **argv)
{
	auto is = [what = argv[1]](const char *other) { return !std::strcmp(what, other); };
	base = new (room) Derived;
	std::thread t([&] {
		if (is("append") || is("error"))
			text.append(40, 'x');
		else if (is("replace"))
			text.replace(0, 1, "12345");
		else if (is("str") || is("clear") || is("seek"))
			stream << 4;
		else if (is("open"))
			file.open("/dev/null");
		else if (is("locale"))
			place = std::locale::classic();
		else if (is("path"))
			name /= "y";
		else
			new (room) Base;
	});
	int sum = 0;
	if (is("append"))
		text += "y";
	else if (is("replace"))
		sum = (int)text.find("text");
	else if (is("str"))
		sum = (int)stream.str().size();
	else if (is("clear"))
		stream.clear();
	else if (is("seek"))
		stream.seekg(0);
	else if (is("open"))
		sum = file.is_open();
	else if (is("locale"))
		sum = std::use_facet<std::ctype<char>>(place).is(std::ctype_base::alpha, 'a');
	else if (is("error"))
		sum = (int)std::strlen(std::runtime_error(text).what());
	else if (is("path"))
		sum = std::filesystem::exists(name);
	else
		sum = dynamic_cast<Derived *>(base) != nullptr;
	t.join();
	return sum == -1;
}
