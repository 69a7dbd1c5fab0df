internal import CMicrohttpd

/// Settings of the memory allocator.
package enum ProcessMemory {
  /// Limits the number of malloc's arenas. Must be called before other threads start. Has an effect with glibc only
  /// (`M_ARENA_MAX` of `mallopt`).
  package static func limitArenas(to count: Int32) { godwit_limit_arenas(count) }
}
