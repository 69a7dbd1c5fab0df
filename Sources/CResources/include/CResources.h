// Files of this package as bytes of the executable. Each archive is a sequence of entries without padding: the length
// of the path, the path below Sources, the length of the file, the file. A length has four bytes in the byte order of the machine.
#pragma once
#include <stddef.h>

struct CResourceArchive {
  const unsigned char *_Nonnull start;
  size_t size;
};

/// The pages of the server and the head of its OpenAPI document.
struct CResourceArchive c_resources_server(void);
/// The pages of a tracker's panel, and the track of the demo.
struct CResourceArchive c_resources_tracker(void);
/// The phones of the simulator, and the page of its reports.
struct CResourceArchive c_resources_simulator(void);
/// The built-in world: archives of map tiles.
struct CResourceArchive c_resources_world(void);
