// One file of an archive; FILE is its path below Sources. __has_include adds it to the dependencies of the object, so that a
// change of the file causes a build.
#if !__has_include(FILE)
#error "a file of this archive is missing"
#endif
  resource FILE
#undef FILE
