#include "runtime/memory/told.h"

#include "base/text.h"
#include "runtime/memory/memory.h"

enum sort {
	NOTHING,
	OBJECT, /* n bytes */
	BYTES,  /* as many as argument n says */
	UP_TO,  /* as far as argument n points to */
	TEXT,   /* a C string */
	STRING, /* a std::string */
};

struct told {
	const char *name; /* a pattern */
	struct {
		u8 argument, sort;
		u16 n;
		u32 how;
	} use[3];
};

#define READS(argument, size) \
	{ \
		argument, OBJECT, size, 0 \
	}
#define WRITES(argument, size) \
	{ \
		argument, OBJECT, size, MEMORY_WRITE \
	}
#define READS_BYTES(argument, size) \
	{ \
		argument, BYTES, size, 0 \
	}
#define READS_UP_TO(argument, end) \
	{ \
		argument, UP_TO, end, 0 \
	}
#define WRITES_UP_TO(argument, end) \
	{ \
		argument, UP_TO, end, MEMORY_WRITE \
	}
#define READS_TEXT(argument) \
	{ \
		argument, TEXT, 0, 0 \
	}
#define READS_STRING(argument) \
	{ \
		argument, STRING, 0, 0 \
	}

/* libstdc++'s, on x86-64. */
enum {
	SIZEOF_STRING = 16, /* without the characters that lie inside */
	SIZEOF_IOS_BASE = 216,
	SIZEOF_IOS = 264,
	SIZEOF_LOCALE = 8,
	SIZEOF_ERROR = 16,
	SIZEOF_ERROR_CODE = 16,
	SIZEOF_PATH = 40,
	SIZEOF_PATH_PARTS = 8,
};

/* A class: its const functions, then the others. A result that is a class comes first, as an argument. */
#define CLASS(name, size) \
	{"_ZNKR" name "*", {READS(0, size)}}, {"_ZNK" name "*", {READS(0, size)}}, \
	{ \
		"_ZN" name "*", \
		{ \
			WRITES(0, size) \
		} \
	}
#define STREAM(name, size) \
	{"_ZNKR" name "3strEv", {READS(1, size)}}, {"_ZNK" name "3strEv", {READS(1, size)}}, \
		{"_ZNO" name "3strEv", {WRITES(1, size)}}, {"_ZN" name "7is_openEv", {READS(0, size)}}, \
		{"_ZN" name "*basic_string*", {WRITES(0, size), READS_STRING(1)}}, \
		{"_ZN" name "*EPKc*", {WRITES(0, size), READS_TEXT(1)}}, \
		{"_ZN" name "*EOS*", {WRITES(0, size), WRITES(1, size)}}, \
		{"_ZN" name "4swapERS*", {WRITES(0, size), WRITES(1, size)}}, CLASS(name, size)
#define OF_CHARACTERS "IcSt11char_traitsIcEE"
#define OF_STRINGS "IcSt11char_traitsIcESaIcEE"
#define ERRORS(name) \
	{"_ZNSt" name "C*basic_string*", {WRITES(0, SIZEOF_ERROR), READS_STRING(1)}}, \
		{"_ZNSt" name "C*EPKc", {WRITES(0, SIZEOF_ERROR), READS_TEXT(1)}}, \
		{"_ZNSt" name "C*RKS_", {WRITES(0, SIZEOF_ERROR), READS(1, SIZEOF_ERROR)}}, \
		{"_ZNSt" name "aSERKS_", {WRITES(0, SIZEOF_ERROR), READS(1, SIZEOF_ERROR)}}, \
		CLASS("St" name, SIZEOF_ERROR)
#define PATH "St10filesystem7__cxx114path"
/* Functions of one path, with and without a place for an error. */
#define OF_PATH(name) \
	{"_ZNSt10filesystem" name "ERKNS_7__cxx114pathERSt10error_code", \
	 {READS_STRING(0), READS(0, SIZEOF_PATH), WRITES(1, SIZEOF_ERROR_CODE)}}, \
	{ \
		"_ZNSt10filesystem" name "ERKNS_7__cxx114pathE", \
		{ \
			READS_STRING(0), READS(0, SIZEOF_PATH) \
		} \
	}
#define TO_PATH(name) \
	{ \
		"_ZNK" PATH name, \
		{ \
			READS_STRING(1), READS(1, SIZEOF_PATH) \
		} \
	}

/* The first that matches counts. */
static const struct told list[] = {
	{"__dynamic_cast", {READS(0, sizeof(void *))}},
	{"_ZSt*_Hash_bytes*", {READS_BYTES(0, 1)}},
	{"_ZSt15_Fnv_hash_bytes*", {READS_BYTES(0, 1)}},
	/* of unordered containers, which only ask when they are changed */
	{"_ZNKSt8__detail20_Prime_rehash_policy*", {WRITES(0, 16)}},
	/* streams and their parts */
	STREAM("St7__cxx1119basic_ostringstream" OF_STRINGS, 376),
	STREAM("St7__cxx1119basic_istringstream" OF_STRINGS, 384),
	STREAM("St7__cxx1118basic_stringstream" OF_STRINGS, 392),
	STREAM("St7__cxx1115basic_stringbuf" OF_STRINGS, 104),
	STREAM("St14basic_ofstream" OF_CHARACTERS, 512),
	STREAM("St14basic_ifstream" OF_CHARACTERS, 520),
	STREAM("St13basic_fstream" OF_CHARACTERS, 528),
	STREAM("St13basic_filebuf" OF_CHARACTERS, 240),
	CLASS("St12__basic_fileIcE", 16),
	{"_ZNSt9basic_ios" OF_CHARACTERS "5imbue*", {WRITES(1, SIZEOF_IOS), READS(2, SIZEOF_LOCALE)}},
	CLASS("St9basic_ios" OF_CHARACTERS, SIZEOF_IOS),
	{"_ZNSt8ios_base5imbue*", {WRITES(1, SIZEOF_IOS_BASE), READS(2, SIZEOF_LOCALE)}},
	CLASS("St8ios_base", SIZEOF_IOS_BASE),
	/* locales: a pointer to what is shared and counted */
	{"_ZSt9use_facet*", {READS(0, SIZEOF_LOCALE)}},
	{"_ZSt9has_facet*", {READS(0, SIZEOF_LOCALE)}},
	{"_ZNSt6localeC*RKS_*", {WRITES(0, SIZEOF_LOCALE), READS(1, SIZEOF_LOCALE)}},
	{"_ZNSt6localeaSERKS_", {WRITES(0, SIZEOF_LOCALE), READS(1, SIZEOF_LOCALE)}},
	{"_ZNSt6locale6globalERKS_", {READS(1, SIZEOF_LOCALE)}},
	{"_ZNSt6localeC*EPKc", {WRITES(0, SIZEOF_LOCALE), READS_TEXT(1)}},
	{"_ZNKSt6locale4name*", {READS(1, SIZEOF_LOCALE)}},
	CLASS("St6locale", SIZEOF_LOCALE),
	/* exceptions with a text */
	ERRORS("13runtime_error"),
	ERRORS("11logic_error"),
	ERRORS("12out_of_range"),
	ERRORS("16invalid_argument"),
	ERRORS("12length_error"),
	ERRORS("12domain_error"),
	ERRORS("11range_error"),
	ERRORS("14overflow_error"),
	ERRORS("15underflow_error"),
	/* numbers as text */
	{"_ZSt8to_charsPcS_*", {WRITES_UP_TO(0, 1)}},
	{"_ZSt10from_charsPKcS0_Rf*", {READS_UP_TO(0, 1), WRITES(2, 4)}},
	{"_ZSt10from_charsPKcS0_Rd*", {READS_UP_TO(0, 1), WRITES(2, 8)}},
	{"_ZSt10from_charsPKcS0_Re*", {READS_UP_TO(0, 1), WRITES(2, 16)}},
	/* names of files */
	OF_PATH("6status"),
	OF_PATH("14symlink_status"),
	OF_PATH("16create_directory"),
	OF_PATH("18create_directories"),
	OF_PATH("6remove"),
	OF_PATH("10remove_all"),
	OF_PATH("9file_size"),
	OF_PATH("8is_empty"),
	OF_PATH("15hard_link_count"),
	OF_PATH("15last_write_time"),
	{"_ZNSt10filesystem6renameERKNS_7__cxx114pathES3_", {READS_STRING(0), READS_STRING(1)}},
	{"_ZNSt10filesystem6renameERKNS_7__cxx114pathES3_RSt10error_code",
	 {READS_STRING(0), READS_STRING(1), WRITES(2, SIZEOF_ERROR_CODE)}},
	{"_ZNK" PATH "5_List*", {READS(0, SIZEOF_PATH_PARTS)}},
	{"_ZN" PATH "5_List*ERKS2_", {WRITES(0, SIZEOF_PATH_PARTS), READS(1, SIZEOF_PATH_PARTS)}},
	{"_ZN" PATH "5_List*", {WRITES(0, SIZEOF_PATH_PARTS)}},
	TO_PATH("*_pathEv"),
	TO_PATH("9root_nameEv"),
	TO_PATH("14root_directoryEv"),
	TO_PATH("16lexically_normalEv"),
	{"_ZN" PATH "9_M_append*", {WRITES(0, SIZEOF_PATH), READS_BYTES(2, 1)}},
	{"_ZN" PATH "*RKS1_", {WRITES(0, SIZEOF_PATH), READS_STRING(1), READS(1, SIZEOF_PATH)}},
	CLASS(PATH, SIZEOF_PATH),
	/* memory resources; what they do with memory is behind virtual functions */
	CLASS("St3pmr25monotonic_buffer_resource", 64),
	CLASS("St3pmr28unsynchronized_pool_resource", 72),
	CLASS("St3pmr26synchronized_pool_resource", 136),
};

bool told_matches(const char *name, const char *pattern)
{
	/* Behind the last star that was met: where the pattern goes on, and up to where the star reaches. */
	const char *again = NULL, *from = NULL;
	for (;;) {
		if (*pattern == '*') {
			again = ++pattern;
			from = name;
		} else if (*pattern == *name) {
			if (!*name)
				return true;
			pattern++;
			name++;
		} else if (again && *from) {
			pattern = again;
			name = ++from;
		} else {
			return false;
		}
	}
}

const struct told *told_find(const char *name)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(list); i++)
		if (told_matches(name, list[i].name))
			return &list[i];
	return NULL;
}

/* What is read may change meanwhile, hence the second look at how long it is. */
static void use_text(u64 address, u64 pc)
{
	for (u64 told = 0, reach; (reach = str_len((const char *)address) + 1) > told; told = reach)
		memory_access(address + told, reach - told, 0, pc);
}

static void use_string(u64 address, u64 pc)
{
	const u64 *string = (const u64 *)address;
	memory_access(address, SIZEOF_STRING, 0, pc);
	if (string[1])
		memory_access(string[0], string[1], 0, pc);
}

void told_use(const struct told *t, const u64 *args, u64 pc)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(t->use) && t->use[i].sort; i++) {
		u64 address = args[t->use[i].argument], n = t->use[i].n;
		if (!address)
			continue;
		switch ((enum sort)t->use[i].sort) {
		case TEXT:
			use_text(address, pc);
			continue;
		case STRING:
			use_string(address, pc);
			continue;
		case BYTES:
			n = args[n];
			break;
		case UP_TO:
			n = args[n] > address ? args[n] - address : 0;
			break;
		case OBJECT:
		case NOTHING:
			break;
		}
		if (n)
			memory_access(address, n, t->use[i].how, pc);
	}
}
