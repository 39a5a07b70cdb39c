/*
 * cxx_vptr.cpp: a virtual call while the destructor changes the object's type.
 *
 * heddle: verdict=violation kind=race|crash
 * native: any
 */
#include <thread>

#include "guest.h"

struct Base {
	virtual ~Base();
	virtual int value();
};

struct Derived : Base {
	~Derived() override;
	int value() override;
};

/* Compilers that know what happens here leave out the change of type. */
static __attribute__((noinline)) void part(Base *b)
{
	__asm__ volatile("" ::"r"(b) : "memory");
}

Base::~Base()
{
	part(this);
}

int Base::value()
{
	return 1;
}

Derived::~Derived()
{
	part(this);
}

int Derived::value()
{
	return 2;
}

static __attribute__((noinline)) long ask(Base *b)
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
