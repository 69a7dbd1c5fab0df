// One file of an archive; FILE is its path below Sources. The question whether it exists makes the compiler list it among
// what the object depends on, so that a change of the file is built.
#if !__has_include(FILE)
#error "a file of this archive is missing"
#endif
  resource FILE
#undef FILE
