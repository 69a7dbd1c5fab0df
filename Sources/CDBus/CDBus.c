#define _GNU_SOURCE
// Where the library's own headers are, the compiler compares its declarations with ours.
#if __has_include(<systemd/sd-bus.h>)
#define CDBUS_CHECKS 1
#endif
#include "CDBus.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(CDBUS_CHECKS)
#define CDBUS_CHECK(result, name, parameters) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name " is declared differently");
CDBUS_FUNCTIONS(CDBUS_CHECK)
#endif

static void *find(void *library, const char *name, const char **missing) {
  void *function = dlsym(library, name);
  if (!function && !*missing) *missing = name;
  return function;
}

const struct CDBusFunctions *CDBusLoad(const char *name, char **reason) {
  *reason = NULL;
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *text = dlerror();
    *reason = strdup(text ? text : name);
    return NULL;
  }
  struct CDBusFunctions *functions = calloc(1, sizeof *functions);
  const char *missing = functions ? NULL : "memory";
  if (functions) {
#define CDBUS_FIND(result, name, parameters) *(void **)&functions->name = find(library, #name, &missing);
    CDBUS_FUNCTIONS(CDBUS_FIND)
#undef CDBUS_FIND
  }
  if (!missing) return functions;
  if (asprintf(reason, "%s has no %s", name, missing) < 0) *reason = NULL;
  free(functions);
  dlclose(library);
  return NULL;
}
