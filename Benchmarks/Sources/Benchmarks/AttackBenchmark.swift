import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// The response time while one address holds as many connections as it can open, each with a header that never ends.
enum AttackBenchmark {
  private static let hostile = 10_000

  /// The number of measurements without and with the attack.
  static let turns = 5

  /// - Parameters:
  ///   - attacked: the 99th percentile of the response time in milliseconds during the attack, of each turn.
  ///   - quiet: the same without the attack.
  static func measurements(attacked: [Double], quiet: [Double]) -> [Measurement] {
    let (attacked, quiet) = (median(attacked), median(quiet))
    return [
      Measurement(
        name: "99 % of answers under \(hostile) hostile connections of another address, median of \(turns) turns, within",
        value: attacked, unit: "ms", lowerIsBetter: true),
      Measurement(
        name: "the same, to the time without them", value: attacked / max(0.01, quiet), unit: "times", goal: 3,
        lowerIsBetter: true),
    ]
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// Runs `body` while 127.0.0.2 holds connections to a server on this machine, and reopens those that the server closes.
  static func under<Value>(port: Int, _ body: () throws -> Value) rethrows -> Value {
    let attack = HostileConnections(port: UInt16(clamping: port), count: hostile)
    attack.start()
    defer { attack.end() }
    return try body()
  }
}

/// Connections from 127.0.0.2 with requests that never end.
private final class HostileConnections: Sendable {
  private let port: UInt16
  private let wanted: Int
  private let isFull = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let isCancelled = Atomic<Bool>(false)

  init(port: UInt16, count: Int) {
    var limit = rlimit()
    _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    (self.port, wanted) = (port, min(count, Int(limit.rlim_cur) - 200))
  }

  /// Starts the thread that holds the connections. Returns after it has tried to open each one once.
  func start() {
    Thread { [self] in hold() }.start()
    isFull.wait()
  }

  func end() {
    isCancelled.store(true, ordering: .relaxed)
    hasEnded.wait()
  }

  private func hold() {
    var held: [Int32] = []
    var isFirst = true
    while !isCancelled.load(ordering: .relaxed) {
      held.removeAll { descriptor in
        var byte: UInt8 = 0
        let isOpen = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
        if isOpen { send(descriptor, "a", 1, Int32(MSG_NOSIGNAL)) } else { close(descriptor) }
        return !isOpen
      }
      while held.count < wanted, let descriptor = open() { held.append(descriptor) }
      if isFirst { isFull.signal() }
      isFirst = false
      usleep(500_000)
    }
    for descriptor in held { close(descriptor) }
    hasEnded.signal()
  }

  private func open() -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    func address(_ number: UInt32, _ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = number.bigEndian
      address.sin_port = port.bigEndian
      return address
    }
    func call(_ address: sockaddr_in, _ function: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          function($0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }
    let start = "GET / HTTP/1.1\r\nHost: a\r\nX-Note: "
    guard call(address(0x7F00_0002, 0), { bind(descriptor, $0, $1) }),
      call(address(0x7F00_0001, port), { connect(descriptor, $0, $1) }),
      send(descriptor, start, start.utf8.count, Int32(MSG_NOSIGNAL)) > 0
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
