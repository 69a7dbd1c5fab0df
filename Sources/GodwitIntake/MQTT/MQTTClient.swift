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

/// The components of the server that the MQTT client uses.
package struct MQTTServices: Sendable {
  package let store: any StoreDatabase
  package let appConfigurations: AppConfigurationCache
  package let inbox: OwnTracksInbox
  /// Maximum bytes of a message.
  package let maximumBody: Int

  package init(store: any StoreDatabase, appConfigurations: AppConfigurationCache, inbox: OwnTracksInbox, maximumBody: Int) {
    self.store = store
    self.appConfigurations = appConfigurations
    self.inbox = inbox
    self.maximumBody = maximumBody
  }
}

/// The MQTT client of the server. Its thread connects, stores messages, and publishes to devices.
package final class MQTTClient: Sendable {
  package let configuration: MQTTConfiguration
  package let status: MQTTStatus
  private let wakeUpPipe: MQTTWakeUpPipe

  package init(_ configuration: MQTTConfiguration) throws {
    self.configuration = configuration
    status = MQTTStatus(note: configuration.note)
    wakeUpPipe = try MQTTWakeUpPipe()
  }

  /// Starts the client, which reconnects until ``stop(within:)``.
  /// - Throws: if the client identifier cannot be stored.
  package func start(_ services: MQTTServices, dataFolder: String) throws {
    let name = try configuration.clientID ?? Self.keptName(in: dataFolder)
    let thread = Thread { [configuration, status, wakeUpPipe] in
      // TLS may write to a closed socket. The error is handled, but SIGPIPE would end the process.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      MQTTLoop(services, configuration, clientID: name, status, wakeUpPipe).run()
      status.stopped()
      wakeUpPipe.ended()
    }
    thread.name = "godwit.mqtt"
    wakeUpPipe.began()
    thread.start()
  }

  /// Wakes the client after a change of commands, regions or topics, so that the client reads the store at once.
  package func wake() { wakeUpPipe.wakeUp() }

  /// Stores and acknowledges received messages, and disconnects. If the network blocks for longer than `seconds`, the thread is
  /// abandoned. The broker delivers unacknowledged messages again.
  package func stop(within seconds: Double) async {
    wakeUpPipe.stop()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [wakeUpPipe] in
        wakeUpPipe.waitForEnd(until: Date(timeIntervalSinceNow: seconds))
        continuation.resume()
      }
    }
  }

  /// Returns the client identifier, which is random and stored in the data folder.
  private static func keptName(in folder: String) throws -> String {
    let file = folder + "/mqtt-client-id"
    if let kept = try? String(contentsOfFile: file, encoding: .utf8) {
      let name = kept.trimmingCharacters(in: .whitespacesAndNewlines)
      if !name.isEmpty { return name }
    }
    // Brokers of MQTT 3.1 accept at most 23 characters.
    let name = "godwit-" + (0..<12).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined()
    try (name + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    return name
  }
}

/// Wakes the client's thread while it waits for its socket, and signals the thread to end.
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

  package func wakeUp() {
    // If the pipe is full, a wake-up is already pending.
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }

  package func began() { phase.withLock { $0 = .running } }

  package func stop() {
    phase.withLock { if $0 == .running { $0 = .stopping } }
    wakeUp()
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

  /// The result of a wait.
  package struct WakeUp {
    /// Whether the thread was woken.
    package var isRung = false
    /// Whether the socket is readable, writable or broken.
    package var isReady = false
  }

  /// Waits for a wake-up or for a socket.
  /// - Parameters:
  ///   - socket: the socket; -1: none.
  ///   - forSending: whether to also return when the socket is writable.
  ///   - milliseconds: the timeout.
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

  /// Whether the socket is readable now.
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

  /// Waits for some time, which changes of the date do not affect, or until the thread must end.
  /// - Returns: `true` if the time has passed; `false` if the thread must end.
  package func pause(_ seconds: Double) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !isStopping {
      let left: Double = ContinuousClock.now.duration(to: end) / .milliseconds(1)
      guard left > 0 else { return true }
      _ = wait(milliseconds: Int(left) + 1)
    }
    return false
  }
}
