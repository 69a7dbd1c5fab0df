internal import Foundation
package import GodwitStore
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  package import Musl
#else
  internal import Darwin
#endif

/// What the client of a broker uses of the server.
package struct MQTTServices: Sendable {
  package let store: any StoreDatabase
  package let appConfigurations: AppConfigurationCache
  package let inbox: OwnTracksInbox
  /// Bytes that a message may have.
  package let maximumBody: Int

  package init(store: any StoreDatabase, appConfigurations: AppConfigurationCache, inbox: OwnTracksInbox, maximumBody: Int) {
    self.store = store
    self.appConfigurations = appConfigurations
    self.inbox = inbox
    self.maximumBody = maximumBody
  }
}

/// The server at its broker: a thread of its own connects, takes in messages, and tells devices what they are to be told.
package final class MQTTClient: Sendable {
  package let configuration: MQTTConfiguration
  package let status: MQTTStatus
  private let bell: MQTTWakeUpPipe

  package init(_ configuration: MQTTConfiguration) throws {
    self.configuration = configuration
    status = MQTTStatus(note: configuration.note)
    bell = try MQTTWakeUpPipe()
  }

  /// Begins; it goes on until ``stop(within:)``, whatever becomes of connections.
  /// - Throws: when the name that the broker knows us by cannot be kept.
  package func start(_ services: MQTTServices, dataFolder: String) throws {
    let name = try configuration.clientID ?? Self.keptName(in: dataFolder)
    let thread = Thread { [configuration, status, bell] in
      // TLS writes to sockets that may be closed: the error tells of it, and the signal would end the process.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      MQTTLoop(services, configuration, clientID: name, status, bell).run()
      status.stopped()
      bell.ended()
    }
    thread.name = "godwit.mqtt"
    bell.began()
    thread.start()
  }

  /// Something was changed that devices should be told, or that says whose a topic is.
  package func look() { bell.ring() }

  /// Stores and acknowledges what has come, and takes leave. Where the network keeps the thread for longer it is left behind: what
  /// it did not acknowledge comes again.
  package func stop(within seconds: Double) async {
    bell.stop()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [bell] in
        bell.waitForEnd(until: Date(timeIntervalSinceNow: seconds))
        continuation.resume()
      }
    }
  }

  /// The name of this server at brokers: by chance, and the same for as long as the folder is there.
  private static func keptName(in folder: String) throws -> String {
    let file = folder + "/mqtt-client-id"
    if let kept = try? String(contentsOfFile: file, encoding: .utf8) {
      let name = kept.trimmingCharacters(in: .whitespacesAndNewlines)
      if !name.isEmpty { return name }
    }
    // Brokers of version 3.1 take 23 characters.
    let name = "godwit-" + (0..<12).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined()
    try (name + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    return name
  }
}

/// Wakes the client's thread, which waits for its socket, and tells it when to end.
package final class MQTTWakeUpPipe: Sendable {
  private enum Phase { case idle, running, stopping, ended }
  private let phase = Mutex(Phase.idle)
  private let end = NSCondition()
  private let (reader, writer): (Int32, Int32)

  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EMFILE) }
    (reader, writer) = (ends[0], ends[1])
    for descriptor in ends {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    close(reader)
    close(writer)
  }

  package var isStopping: Bool { phase.withLock { $0 == .stopping } }

  package func ring() {
    // A pipe that is full rings already.
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }

  package func began() { phase.withLock { $0 = .running } }

  package func stop() {
    phase.withLock { if $0 == .running { $0 = .stopping } }
    ring()
  }

  package func ended() {
    end.lock()
    phase.withLock { $0 = .ended }
    end.broadcast()
    end.unlock()
  }

  func waitForEnd(until limit: Date) {
    end.lock()
    while phase.withLock({ $0 == .stopping || $0 == .running }), end.wait(until: limit) {}
    end.unlock()
  }

  /// What a wait ended with.
  package struct WakeUp {
    /// There is something to do.
    package var isRung = false
    /// The socket has something, or takes something, or is broken.
    package var isReady = false
  }

  /// Waits for the bell, and for a socket.
  /// - Parameters:
  ///   - socket: -1 for none.
  ///   - forSending: until it takes something as well.
  ///   - milliseconds: at most.
  package func wait(_ socket: Int32 = -1, forSending: Bool = false, milliseconds: Int) -> WakeUp {
    var entries = [
      pollfd(fd: reader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: Int16(POLLIN) | (forSending ? Int16(POLLOUT) : 0), revents: 0),
    ]
    guard poll(&entries, nfds_t(entries.count), Int32(clamping: max(0, milliseconds))) > 0 else { return WakeUp() }
    var bytes = [UInt8](repeating: 0, count: 64)
    if entries[0].revents != 0 { while Self.read(reader, &bytes) > 0 {} }
    return WakeUp(isRung: entries[0].revents != 0, isReady: entries[1].revents != 0)
  }

  /// Whether there is something to be read now.
  package func hasSomething(_ socket: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return socket >= 0 && poll(&entry, 1, 0) > 0
  }

  private static func read(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, &bytes, bytes.count)
    #elseif canImport(Musl)
      Musl.read(descriptor, &bytes, bytes.count)
    #else
      Darwin.read(descriptor, &bytes, bytes.count)
    #endif
  }

  /// Lets time pass.
  /// - Returns: whether it has passed; `false`: the thread is to end.
  package func pause(_ seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while !isStopping {
      let left = end.timeIntervalSinceNow
      guard left > 0 else { return true }
      _ = wait(milliseconds: Int(left * 1000) + 1)
    }
    return false
  }
}
