/* Linked in only where heddle cc used a gcc that its plugin does not fit: the summary
   says what that leaves out. */
extern const int heddle_hooks_without_plugin;
__attribute__((visibility("default"))) const int heddle_hooks_without_plugin = 1;
