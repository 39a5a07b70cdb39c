/*
 * cxx_vptr.cpp: a virtual call while the destructor changes the object's type.
 *
 * heddle: verdict=violation kind=race|crash
 * native: any
 */
#include <thread>

#include "guest.h"

struct Base {
	virtual ~Base()
	{
	}
	virtual int value()
	{
		return 1;
	}
};

struct Derived : Base {
	~Derived() override
	{
		stop();
	}
	int value() override
	{
		return 2;
	}
	__attribute__((noipa)) void stop()
	{
	}
};

static __attribute__((noipa)) long ask(Base *b)
{
	return b->value();
}

int main()
{
	Base *object = new Derived;
	std::thread t([=] { heddle_outcome(ask(object)); });

	object->~Base();
	t.join();
	::operator delete(object);
	return 0;
}
