#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// How many files and connections the process may have open.
public enum DescriptorLimit {
  /// Descriptors that connections leave to databases, files, outgoing connections and the runtime.
  ///
  /// A process without a free descriptor ends: libdispatch stops when it cannot read `/proc/self/task`.
  static let reserve = 100
  /// More than this is never asked for: containers often have no limit at all.
  private static let largest: rlim_t = 1 << 20

  /// Raises the limit of the process to the highest one that the system allows it.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < min(limit.rlim_max, largest) else { return }
    limit.rlim_cur = min(limit.rlim_max, largest)
    _ = setrlimit(resource, &limit)
  }

  /// Connections that fit under the limit of the process.
  /// - Parameter wanted: connections at most.
  /// - Returns: at least 16, at most `wanted`.
  static func connections(wanted: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return wanted }
    let all = Int(clamping: limit.rlim_cur)
    return max(min(16, wanted), min(wanted, all - reserve))
  }

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let resource = RLIMIT_NOFILE
  #endif
}
