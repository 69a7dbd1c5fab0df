internal import Foundation
internal import GodwitModel
internal import GodwitServices
internal import GodwitStore
internal import GodwitWire
internal import Synchronization

/// Publishes commands and regions to devices, on the client's thread.
///
/// A command is claimed in the store. It is released if the broker does not accept it or reports no subscriber. Messages are
/// published only to the device's own topic. Apps receive the positions of friends from the broker itself.
package final class MQTTPublisher {
  private struct Item {
    var device: Int64
    var topic: String
    var body: [UInt8]
    /// The number of the command in the store; `nil`: not a command.
    var command: Int64?
    /// The message identifier, while the message is in flight.
    var number: Int32?
  }

  private let services: MQTTServices
  private let status: MQTTStatus
  private var items: [Item] = []
  /// Devices without a subscriber, with the time at which the broker reported it.
  private var absent: [Int64: Date] = [:]

  /// Seconds until a device without a subscriber is tried again. The pause ends early when the device sends a message.
  private static let absence = 60.0
  /// Maximum queued messages. If there are more, the oldest is dropped.
  private static let maximum = 10_000

  package init(_ services: MQTTServices, _ status: MQTTStatus) { (self.services, self.status) = (services, status) }

  /// Marks all messages as not in flight, because a new connection begins.
  package func begin() { for index in items.indices { items[index].number = nil } }

  /// Queues a reply to a device that has sent.
  package func add(_ events: MQTTIntake.Events) {
    absent[events.device.id] = nil
    for message in events.response.messages {
      append(message, sealedWith: events.response.key, Item(device: events.device.id, topic: events.topic + "/cmd", body: []))
    }
  }

  private func append(_ message: [UInt8], sealedWith key: OwnTracksKey?, _ item: Item) {
    var item = item
    if let key { OwnTracks.writeEncrypted(key.seal(message), into: &item.body) } else { item.body = message }
    items.append(item)
    if items.count > Self.maximum { release([items.removeFirst().command].compactMap(\.self)) }
  }

  /// Claims pending commands in the store, and queues them.
  /// - Parameter received: the topics over which devices were last active.
  package func collect(received: [Int64: String]) {
    let now = services.store.clock.now
    do {
      var done: Set<Int64> = []
      let bindings = try services.store.read { try MQTTTables.commanded($0) }
      for binding in bindings {
        let device = binding.device.id
        if let since = absent[device], abs(now.timeIntervalSince(since)) < Self.absence { continue }
        guard done.insert(device).inserted else { continue }
        let key = try services.appConfigurations.configuration(of: device).key.map { OwnTracksKey(passPhrase: $0) }
        for command in try services.store.writeAndWait({ try MQTTTables.takeCommands(of: device, at: now, $0) }) {
          // The topic of the last contact may belong to another device now.
          let own = bindings.filter { $0.device.id == device }.map(\.topic)
          let topic = (received[device].flatMap { own.contains($0) ? $0 : nil } ?? binding.topic) + "/cmd"
          append(command.body, sealedWith: key, Item(device: device, topic: topic, body: [], command: command.id))
        }
        services.appConfigurations.invalidate(device)
      }
    } catch {
      // The commands stay in the store until the next check.
      status.storeFailures.add(1, ordering: .relaxed)
    }
  }

  /// Publishes the messages that are not in flight. A message that is too large for the broker is dropped, and its command is released,
  /// so that the messages after it are published.
  package func publish(by session: MQTTSession) throws(MQTTFault) {
    var dropped: [Int] = []
    for index in items.indices where items[index].number == nil {
      let item = items[index]
      do throws(MQTTFault) {
        items[index].number = try session.publish(item.body, to: item.topic, isKept: false)
      } catch  where error.kind == .size {
        status.log("a message of \(item.body.count) bytes to \(item.topic.debugDescription) was not sent: \(error)")
        absent[item.device] = services.store.clock.now
        dropped.append(index)
      }
    }
    release(dropped.reversed().compactMap { items.remove(at: $0).command })
  }

  /// Handles receipts of the broker.
  package func handle(_ receipts: [MQTTSession.Receipt]) {
    var back: [Int64] = []
    for receipt in receipts {
      guard let index = items.firstIndex(where: { $0.number == receipt.number }) else { continue }
      let item = items.remove(at: index)
      if receipt.isTaken, receipt.hasReader || item.command == nil {
        status.published.add(1, ordering: .relaxed)
      } else {
        absent[item.device] = services.store.clock.now
        if let command = item.command { back.append(command) }
      }
    }
    release(back)
  }

  /// Removes all queued messages, and releases their commands in the store.
  package func releaseCommands() {
    release(items.compactMap(\.command))
    items = []
  }

  private func release(_ commands: [Int64]) {
    guard !commands.isEmpty else { return }
    // If this fails, the commands are lost.
    _ = try? services.store.writeAndWait { try MQTTTables.release(commands, $0) }
  }
}
