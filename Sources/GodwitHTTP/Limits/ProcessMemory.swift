internal import CMicrohttpd

/// How the process keeps memory that it has freed.
package enum ProcessMemory {
  /// Limits the number of malloc's arenas, before other threads run. With glibc only (`M_ARENA_MAX` of `mallopt`).
  package static func limitArenas(to count: Int32) { godwit_limit_arenas(count) }
}
