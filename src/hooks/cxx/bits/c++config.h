/*
 * c++config.h: found before libstdc++'s header of this name, when heddle c++ compiles. libstdc++ takes
 * std::string from its library unless it is told otherwise; in the program itself it is instrumented.
 */
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1 /* none of strings; those of streams stay */
