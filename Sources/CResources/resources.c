#include "CResources.h"

// One archive for each assembler file. A linker omits the archives that a program does not use.
#define ARCHIVE(name)                                                          \
  extern const unsigned char c_resources_##name##_start[];                     \
  extern const unsigned char c_resources_##name##_end[];                       \
  struct CResourceArchive c_resources_##name(void) {                           \
    return (struct CResourceArchive){                                          \
        c_resources_##name##_start,                                            \
        (size_t)(c_resources_##name##_end - c_resources_##name##_start)};      \
  }

ARCHIVE(server)
ARCHIVE(tracker)
ARCHIVE(simulator)
ARCHIVE(world)
