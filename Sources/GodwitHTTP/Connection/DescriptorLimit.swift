#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The limits of open files and connections of the process.
public enum DescriptorLimit {
  /// Descriptors that are reserved for databases, files, outgoing connections and the runtime.
  ///
  /// Without a free descriptor the process terminates: libdispatch aborts when it cannot read `/proc/self/task`.
  static let reserve = 100
  /// Maximum limit that is requested, because containers often have no limit.
  private static let largest: rlim_t = 1 << 20

  /// Raises the soft limit of the process to its hard limit.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < min(limit.rlim_max, largest) else { return }
    limit.rlim_cur = min(limit.rlim_max, largest)
    _ = setrlimit(resource, &limit)
  }

  /// Returns the number of connections that the limit of the process permits.
  /// - Parameter wanted: maximum connections.
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
