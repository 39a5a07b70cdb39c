/* Linked in only where heddle cc used clang: the runtime finds it and adds a note to the verdict. */
extern const int heddle_hooks_by_clang;
__attribute__((visibility("default"))) const int heddle_hooks_by_clang = 1;
