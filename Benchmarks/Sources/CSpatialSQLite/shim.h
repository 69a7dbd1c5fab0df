// The functions that the comparison with SQLite's R*Tree calls.
#include <sqlite3.h>
