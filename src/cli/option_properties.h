/*
 * option_properties.h: the options that state properties over the program's variables.
 */
#ifndef HEDDLE_CLI_OPTION_PROPERTIES_H
#define HEDDLE_CLI_OPTION_PROPERTIES_H

#include "cli/check_options.h"

/* --invariant, --step; the name of the option says which. */
int apply_property(struct check_options *o, const struct option_spec *s, const char *value,
		   struct problem *p);
/* --invariant-file. */
int apply_property_file(struct check_options *o, const struct option_spec *s, const char *value,
			struct problem *p);

/* For verbs with options of their own: *all is made if need be; the caller frees it. */
int property_option(struct wire_properties **all, bool step, const char *text, struct problem *p);
int property_file_option(struct wire_properties **all, const char *path, struct problem *p);

#endif
