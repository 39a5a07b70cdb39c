/*
 * cxx_streams.cpp: two threads use one stream at once. Only the standard streams allow that, and they only while
 * they are synchronized with stdio.
 *
 * heddle: args=number verdict=violation kind=race where=@number
 * heddle: args=text verdict=violation kind=race where=@text
 * heddle: args=end verdict=violation kind=race
 * heddle: args=file verdict=violation kind=race where=@number
 * heddle: args=in verdict=violation kind=race where=@in
 * heddle: args=line verdict=violation kind=race
 * heddle: args=both verdict=violation kind=race
 * heddle: args=alone verdict=violation kind=race where=@number
 * native: any
 */
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "guest.h"

static std::stringstream words("1 2\n3 4\n");
static std::ofstream file;
static std::ostream *out = &words;

static void numbers(int n)
{
	*out << n; /* @number */
}

static void texts(int)
{
	*out << "text"; /* @text */
}

static void ends(int)
{
	*out << std::endl;
}

static void takes(int)
{
	int n;
	words >> n; /* @in */
}

static void lines(int)
{
	std::string line;
	std::getline(words, line);
}

int main(int argc, char **argv)
{
	void (*first)(int) = numbers, (*second)(int) = numbers;

	if (story(argc, argv, "text"))
		first = second = texts;
	if (story(argc, argv, "end"))
		first = second = ends;
	if (story(argc, argv, "in"))
		first = second = takes;
	if (story(argc, argv, "line"))
		first = second = lines;
	if (story(argc, argv, "both"))
		second = takes;
	if (story(argc, argv, "file")) {
		file.open("/dev/null");
		out = &file;
	}
	if (story(argc, argv, "alone")) {
		std::ios::sync_with_stdio(false);
		out = &std::cout;
	}
	std::thread a(first, 1), b(second, 2);
	a.join();
	b.join();
	return 0;
}
