#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Waits for a socket.
enum Socket {
  enum Outcome { case ready, nothing, failed }

  /// - Parameters:
  ///   - descriptor: a connected socket.
  ///   - forWriting: whether to wait until the socket is writable or readable; otherwise until it is readable.
  ///   - milliseconds: the maximum time.
  static func wait(_ descriptor: Int32, forWriting: Bool, milliseconds: Int32) -> Outcome {
    guard descriptor >= 0 else { return .failed }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN) | (forWriting ? Int16(POLLOUT) : 0), revents: 0)
    let count = poll(&entry, 1, milliseconds)
    if count > 0 { return .ready }
    return count == 0 || errno == EINTR ? .nothing : .failed
  }
}
