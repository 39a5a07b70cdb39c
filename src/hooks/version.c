/* version.c: the mark by which heddle knows a program that was built with its hooks; exported. */
extern const int heddle_hooks_version;
__attribute__((visibility("default"))) const int heddle_hooks_version = 1;
