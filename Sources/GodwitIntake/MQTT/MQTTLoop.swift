internal import Foundation
internal import GodwitServices
internal import GodwitStore

/// The loop of the client's thread: connects to the broker, stores and acknowledges messages, and publishes.
package final class MQTTLoop {
  private let configuration: MQTTConfiguration
  private let clientID: String
  private let status: MQTTStatus
  private let wakeUpPipe: MQTTWakeUpPipe
  private let intake: MQTTIntake
  private let outbox: MQTTPublisher
  private let clock: ServerClock
  /// When the store is read next, as the clock's uptime.
  private var nextRead = Duration.zero

  /// Minimum and maximum seconds between two attempts to connect.
  package static let pauses = 1.0...60.0
  /// Time after which a connection counts as stable. The next pause is then the minimum.
  private static let goodWhile = Duration.seconds(30)
  /// Maximum messages that are stored at a time.
  private static let maximumConcurrent = 1000
  /// Seconds between two reads of the store for changes by other programs.
  private static let readInterval = 5.0

  package init(
    _ services: MQTTServices, _ configuration: MQTTConfiguration, clientID: String, _ status: MQTTStatus,
    _ wakeUpPipe: MQTTWakeUpPipe
  ) {
    (self.configuration, self.clientID, self.status, self.wakeUpPipe) = (configuration, clientID, status, wakeUpPipe)
    intake = MQTTIntake(services, configuration, status, wakeUpPipe)
    outbox = MQTTPublisher(services, status)
    clock = services.store.clock
  }

  /// Runs until the wake-up pipe signals the end.
  package func run() {
    var pause = Self.pauses.lowerBound
    var version = configuration.broker.version ?? .five
    while !wakeUpPipe.isStopping {
      let began = clock.uptime
      do throws(MQTTFault) {
        status.connecting()
        let session = try MQTTSession(configuration.broker, clientID: clientID, version: version)
        try session.connect()
        try serve(session, version)
      } catch {
        if error.kind == .version, configuration.broker.version == nil, version == .five {
          version = .three
          continue
        }
        if clock.uptime - began > Self.goodWhile { pause = Self.pauses.lowerBound }
        status.failed(error, trying: clock.now.addingTimeInterval(pause))
        let next = clock.uptime + .seconds(pause)
        while !wakeUpPipe.isStopping, next > clock.uptime {
          readStore(forPublishing: false)
          guard wakeUpPipe.pause(min(Self.readInterval, max(0, (next - clock.uptime) / .seconds(1)))) else { break }
        }
        pause = min(pause * 2, Self.pauses.upperBound)
      }
    }
    outbox.releaseCommands()
  }

  /// Serves a connection until it ends or the client stops.
  private func serve(_ session: MQTTSession, _ version: BrokerAddress.Version) throws(MQTTFault) {
    var isSubscribed = false
    var loggedRejections = 0
    outbox.begin()
    while !wakeUpPipe.isStopping {
      let awake = wakeUpPipe.wait(session.socket, forSending: session.wantsToSend, milliseconds: 1000)
      if awake.isRung { nextRead = .zero }
      var fault: MQTTFault?
      if awake.isReady { fault = read(session) }
      // Messages that were not stored are not acknowledged. The method returns, and the broker sends the messages again.
      guard intake.handle(session.takeMessages(), { outbox.add($0) }) else { return }
      if let fault { throw fault }
      outbox.handle(session.takeReceipts())
      if session.isAdmitted {
        if !isSubscribed {
          isSubscribed = true
          status.connected(configuration.broker, version, at: clock.now)
          for filter in configuration.topics { try session.subscribe(to: filter.subscriptions) }
        }
        let rejected = session.rejectedTopics.dropFirst(loggedRejections)
        if !rejected.isEmpty {
          status.log(
            "the broker rejects the subscription with QoS 1 to \(rejected.joined(separator: ", ")); check the user's permissions on the broker."
          )
        }
        loggedRejections = session.rejectedTopics.count
        readStore(forPublishing: true)
        try outbox.publish(by: session)
      }
      if session.wantsToSend { try session.send() }
      try session.runKeepAlive()
    }
    try leave(session)
  }

  /// Reads all available messages, up to the maximum that is stored at a time.
  private func read(_ session: MQTTSession) -> MQTTFault? {
    do throws(MQTTFault) {
      repeat { try session.read() } while session.count < Self.maximumConcurrent && wakeUpPipe.hasSomething(session.socket)
      return nil
    } catch {
      return error
    }
  }

  /// Reads changes by other programs, at an interval.
  /// - Parameter forPublishing: whether commands are claimed. Without a connection they stay pending in the store.
  private func readStore(forPublishing: Bool) {
    guard nextRead <= clock.uptime else { return }
    nextRead = clock.uptime + .seconds(Self.readInterval)
    intake.claimWaiting { outbox.add($0) }
    if forPublishing { outbox.collect(received: intake.contacts) }
  }

  private func leave(_ session: MQTTSession) throws(MQTTFault) {
    session.leave()
    // Real time, because the broker runs on another machine.
    let end = ContinuousClock.now + .seconds(1)
    while session.socket >= 0, session.wantsToSend, .now < end {
      try session.send()
      _ = wakeUpPipe.wait(session.socket, forSending: true, milliseconds: 10)
    }
  }
}
