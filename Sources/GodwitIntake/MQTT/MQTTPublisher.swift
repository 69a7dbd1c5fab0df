internal import Foundation
internal import GodwitModel
internal import GodwitStore
internal import GodwitWire
internal import Synchronization

/// What devices are to be told over the broker, on the client's thread: the owner's commands, and regions.
///
/// A command is taken out of the store, and given back where the broker did not take it or says that no client listens. Nothing is
/// published but to the device's own topic: where others are its app hears from the broker, as far as that lets it.
package final class MQTTPublisher {
  private struct Item {
    var device: Int64
    var topic: String
    var body: [UInt8]
    /// The command's number in the store.
    var command: Int64?
    /// The number of the message, once it is on its way.
    var number: Int32?
  }

  private let services: MQTTServices
  private let status: MQTTStatus
  private var items: [Item] = []
  /// Devices that did not listen, and when.
  private var absent: [Int64: Date] = [:]

  /// Seconds until a device that did not listen is tried again, unless it speaks.
  private static let absence = 60.0
  /// Messages that wait; of more the oldest go.
  private static let most = 10_000

  package init(_ services: MQTTServices, _ status: MQTTStatus) { (self.services, self.status) = (services, status) }

  /// A new connection knows nothing of what was on its way over the last one.
  package func begin() { for index in items.indices { items[index].number = nil } }

  /// A device has spoken, and is perhaps to be told something.
  package func add(_ telling: MQTTIntake.Telling) {
    absent[telling.device.id] = nil
    for message in telling.answer.messages {
      append(message, sealedWith: telling.answer.key, Item(device: telling.device.id, topic: telling.topic + "/cmd", body: []))
    }
  }

  private func append(_ message: [UInt8], sealedWith key: OwnTracksKey?, _ item: Item) {
    var item = item
    if let key { OwnTracks.writeEncrypted(key.seal(message), into: &item.body) } else { item.body = message }
    items.append(item)
    if items.count > Self.most { items.removeFirst() }
  }

  /// Takes commands out of the store.
  /// - Parameter heard: the topics over which devices spoke last.
  package func collect(heard: [Int64: String]) {
    let now = Date()
    do {
      var done: Set<Int64> = []
      for binding in try services.store.read({ try MQTTTables.commanded($0) }) {
        let device = binding.device.id
        if let since = absent[device], abs(now.timeIntervalSince(since)) < Self.absence { continue }
        guard done.insert(device).inserted else { continue }
        let key = try services.appConfigurations.terms(of: device).key.map { OwnTracksKey(passPhrase: $0) }
        for command in try services.store.writeAndWait({ try MQTTTables.takeCommands(of: device, at: now, $0) }) {
          let topic = (heard[device] ?? binding.topic) + "/cmd"
          append(command.body, sealedWith: key, Item(device: device, topic: topic, body: [], command: command.id))
        }
        services.appConfigurations.forget(device)
      }
    } catch {
      // They wait in the store, until the next look.
      status.storeFailures.add(1, ordering: .relaxed)
    }
  }

  /// Publishes what is not on its way.
  package func publish(by session: MQTTSession) throws(MQTTFault) {
    for index in items.indices where items[index].number == nil {
      items[index].number = try session.publish(items[index].body, to: items[index].topic, isKept: false)
    }
  }

  /// The broker has answered.
  package func settle(_ receipts: [MQTTSession.Receipt]) {
    var back: [Int64] = []
    for receipt in receipts {
      guard let index = items.firstIndex(where: { $0.number == receipt.number }) else { continue }
      let item = items.remove(at: index)
      if receipt.isTaken, receipt.hasReader || item.command == nil {
        status.published.add(1, ordering: .relaxed)
      } else {
        absent[item.device] = Date()
        if let command = item.command { back.append(command) }
      }
    }
    giveBack(back)
  }

  /// Nothing more is published: what is not known to have arrived waits in the store.
  package func giveBack() {
    giveBack(items.compactMap(\.command))
    items = []
  }

  private func giveBack(_ commands: [Int64]) {
    guard !commands.isEmpty else { return }
    // Where this fails they are lost, as an answer to a request may be.
    _ = try? services.store.writeAndWait { try MQTTTables.giveBack(commands, $0) }
  }
}
