internal import Foundation
internal import GodwitHTTP
internal import GodwitServices
package import GodwitStore
internal import Synchronization

/// Stores messages of the broker, on the client's thread. When a method returns, the messages are committed.
package final class MQTTIntake {
  private let services: MQTTServices
  private let configuration: MQTTConfiguration
  private let status: MQTTStatus
  private let wakeUpPipe: MQTTWakeUpPipe
  private let inbox: OwnTracksInbox

  /// The devices of topics. The cache is discarded after a second.
  private var devices: [String: Device] = [:]
  private var devicesRead = Date.distantPast
  /// Topics without a device, with the time of the last query.
  private var unassignedTopics: [String: Date] = [:]
  /// The counts of devices and topics at the last check of unassigned topics.
  private var messageCounts: MQTTTables.MessageCounts?
  private var unassignedTopicsRead = Date.distantPast
  /// The messages that were already logged.
  private var said: Set<String> = []
  /// The base topic over which each device was last active.
  private(set) var contacts: [Int64: String] = [:]

  /// Seconds for which the device of a topic is cached, and for which a topic counts as unassigned.
  private static let (freshness, strangeness) = (1.0, 60.0)
  /// Maximum bytes of a device's topic.
  private static let maximumTopic = 512
  /// Maximum attempts to store a message; after these it is stored as a rejected record.
  private static let timeout = 3
  /// Number of stored messages of a topic that are processed at a time after the topic is assigned.
  private static let page = 200

  package init(_ services: MQTTServices, _ configuration: MQTTConfiguration, _ status: MQTTStatus, _ wakeUpPipe: MQTTWakeUpPipe) {
    (self.services, self.configuration, self.status, self.wakeUpPipe) = (services, configuration, status, wakeUpPipe)
    inbox = services.inbox
  }

  /// A message of a device.
  private struct InboundMessage {
    var topic: MQTTTopic
    var device: Device
    var body: [UInt8]
    var received: Date
    var isReplay = false
    var attempts = 0
  }

  /// A reply to an app because of a message.
  package struct Events {
    package var device: Device
    /// The topic of the message.
    package var topic: String
    package var response: OwnTracksInbox.Response
  }

  // MARK: Messages

  /// Stores messages, and repeats until it succeeds.
  /// - Parameters:
  ///   - messages: in the order of receipt.
  ///   - tell: receives replies to apps.
  /// - Returns: `true` if all messages are stored; `false` if the thread must end. The broker then sends the messages again.
  package func handle(_ messages: [MQTTSession.Message], _ tell: (Events) -> Void) -> Bool {
    guard !messages.isEmpty else { return true }
    let now = services.store.clock.now
    status.received.add(messages.count, ordering: .relaxed)
    var known: [(topic: MQTTTopic, message: MQTTSession.Message)] = []
    for message in messages {
      // Apps clear a retained message by publishing an empty one.
      guard message.body.contains(where: { $0 > 0x20 }) else { continue }
      guard let topic = configuration.topics.lazy.compactMap({ $0.match(message.topic) }).first,
        topic.base.utf8.count <= Self.maximumTopic, message.body.count <= services.maximumBody
      else {
        status.ignored.add(1, ordering: .relaxed)
        continue
      }
      known.append((topic, message))
    }
    var inboundMessages: [InboundMessage] = []
    var nobodys: [(topic: MQTTTopic, body: [UInt8])] = []
    let isSorted = persist {
      inboundMessages.removeAll()
      nobodys.removeAll()
      for (topic, message) in known {
        if let device = try device(of: topic) {
          inboundMessages.append(
            InboundMessage(topic: topic, device: device, body: message.body, received: now, isReplay: message.isReplay))
        } else {
          nobodys.append((topic, message.body))
        }
      }
      if !nobodys.isEmpty {
        try services.store.writeAndWait { [nobodys] in try MQTTTables.store(nobodys, at: now, $0) }
      }
    }
    guard isSorted else { return false }
    status.waiting.add(nobodys.count, ordering: .relaxed)
    for inbound in inboundMessages where !inbound.isReplay { contacts[inbound.device.id] = inbound.topic.base }
    return store(inboundMessages, tell)
  }

  /// Stores messages in their order. Successive locations are stored together. A message that creates or names regions is stored
  /// only after the previous ones.
  private func store(_ inboundMessages: [InboundMessage], _ tell: (Events) -> Void) -> Bool {
    var rest = inboundMessages[...]
    while let first = rest.first {
      var run = [first]
      rest.removeFirst()
      if first.topic.leaf == nil {
        while let next = rest.first, next.topic.leaf == nil {
          run.append(next)
          rest.removeFirst()
        }
      }
      let isStored = persist {
        let (failed, error) = storeOnce(run, tell)
        run = failed
        if let error { throw error }
      }
      guard isStored else { return false }
    }
    return true
  }

  /// Attempts to store messages once. - Returns: the messages that were not stored, and the error.
  private func storeOnce(_ inboundMessages: [InboundMessage], _ tell: (Events) -> Void) -> ([InboundMessage], (any Error)?) {
    let group = DispatchGroup()
    let outcomes = Outcomes(count: inboundMessages.count, group: group)
    for (index, inbound) in inboundMessages.enumerated() {
      let sender = OwnTracksInbox.Sender(
        device: inbound.device, label: inbound.topic.label, replyPath: .broker, isReplay: inbound.isReplay)
      group.enter()
      let done: @Sendable (Outcomes.Outcome) -> Void = { outcomes.set($0, at: index) }
      if inbound.attempts < Self.timeout {
        inbox.handle(inbound.body, from: sender, at: inbound.received, done)
      } else {
        let problem = Problem(500, "Not stored", "the store rejects this message but accepts others")
        inbox.quarantine(inbound.body, because: problem, encoding: nil, from: sender, at: inbound.received, done)
      }
    }
    group.wait()
    var failed: [InboundMessage] = []
    var reason: (any Error)?
    for (var inbound, outcome) in zip(inboundMessages, outcomes.all) {
      switch outcome {
      case .success(let response)?:
        if let problem = response.problem { rejected(inbound, problem) }
        tell(Events(device: inbound.device, topic: inbound.topic.base, response: response))
      case .failure(let error)?:
        // A store that cannot write, for example because its disk is full, is not a fault of the message.
        if !(error is StoreError), StoreFault(error) == nil { inbound.attempts += 1 }
        reason = error
        failed.append(inbound)
      // Not reached, because the group waits for each outcome.
      case nil: failed.append(inbound)
      }
    }
    return (failed, reason)
  }

  private func rejected(_ inbound: InboundMessage, _ problem: Problem) {
    status.rejected.add(1, ordering: .relaxed)
    logOnce("\(inbound.topic.base): \(problem.detail) Its messages are stored: godwit rejected list \(inbound.device.name)")
  }

  private func logOnce(_ text: String) {
    // Bounds the memory, because topics are arbitrary.
    if said.count >= 1000 { said.removeAll() }
    if said.insert(text).inserted { status.log(text) }
  }

  /// Repeats an operation until it succeeds, with increasing pauses.
  /// - Returns: `false` if the thread must end.
  private func persist(_ work: () throws -> Void) -> Bool {
    var pause = 0.25
    while true {
      do {
        try work()
        return true
      } catch {
        status.storeFailures.add(1, ordering: .relaxed)
        logOnce("the store rejects the broker's messages: \(error). The broker keeps them, and the server tries again.")
        guard wakeUpPipe.pause(pause) else { return false }
        pause = min(pause * 2, 10)
      }
    }
  }

  // MARK: Devices of topics

  private func device(of topic: MQTTTopic) throws -> Device? {
    let now = services.store.clock.now
    if abs(now.timeIntervalSince(devicesRead)) > Self.freshness {
      devices.removeAll(keepingCapacity: true)
      devicesRead = now
    }
    if let device = devices[topic.base] { return device }
    if let asked = unassignedTopics[topic.base], abs(now.timeIntervalSince(asked)) < Self.strangeness { return nil }
    let makesDevices = configuration.makesDevices
    let device = try services.store.read { try MQTTTables.device(of: topic.base, $0) }
    if let found = try device
      ?? services.store.writeAndWait({ try MQTTTables.claim(topic, makesDevices: makesDevices, at: now, $0) })
    {
      if device == nil { status.log("\(topic.base) is the device \(found.name).") }
      devices[topic.base] = found
      unassignedTopics[topic.base] = nil
      return found
    }
    if unassignedTopics.count >= 10_000 { unassignedTopics.removeAll() }
    unassignedTopics[topic.base] = now
    let name = topic.newName ?? "NAME"
    logOnce(
      "\(topic.base) is unassigned. Its messages are stored until it is assigned: godwit device add \(name), "
        + "or godwit device topics NAME --add \(topic.base)")
    return nil
  }

  /// Stores the messages of topics that have been assigned to a device since.
  /// - Parameter tell: receives replies to apps.
  package func claimWaiting(_ tell: (Events) -> Void) {
    do {
      let messageCounts = try services.store.read { try MQTTTables.messageCounts($0) }
      guard
        messageCounts != self.messageCounts
          || abs(unassignedTopicsRead.timeIntervalSince(services.store.clock.now)) > Self.strangeness
      else {
        return
      }
      // A device may just have been assigned to a cached topic.
      unassignedTopics.removeAll()
      devices.removeAll()
      (self.messageCounts, unassignedTopicsRead) = (messageCounts, services.store.clock.now)
      for unassigned in try services.store.read({ try MQTTTables.unassignedTopics($0) }) {
        guard let topic = configuration.topics.lazy.compactMap({ $0.match(unassigned.topic) }).first,
          let device = try device(of: topic)
        else { continue }
        while true {
          let page = try services.store.read { try MQTTTables.waiting(of: topic.base, limit: Self.page, $0) }
          guard let last = page.last else { break }
          let inboundMessages = page.map { waiting in
            var topic = topic
            topic.leaf = waiting.leaf
            return InboundMessage(topic: topic, device: device, body: waiting.body, received: waiting.received)
          }
          guard store(inboundMessages, tell) else { return }
          try services.store.writeAndWait { try MQTTTables.done(topic.base, through: last.id, $0) }
        }
      }
    } catch {
      // The messages stay in the store until the next check.
      status.storeFailures.add(1, ordering: .relaxed)
    }
  }
}

/// Collects the outcomes that completions report on other threads.
private final class Outcomes: Sendable {
  typealias Outcome = Result<OwnTracksInbox.Response, any Error>
  private let outcomes: Mutex<[Outcome?]>
  private let group: DispatchGroup

  /// - Parameter group: entered once for each expected outcome.
  init(count: Int, group: DispatchGroup) {
    outcomes = Mutex(Array(repeating: nil, count: count))
    self.group = group
  }

  func set(_ outcome: Outcome, at index: Int) {
    outcomes.withLock { $0[index] = outcome }
    group.leave()
  }

  var all: [Outcome?] { outcomes.withLock { $0 } }
}
