package import Foundation
internal import GodwitServices
package import GodwitStore

/// Commands for the topics of devices at an MQTT broker, for a program with access to the store. A running server reads the changes
/// within seconds.
package enum DeviceTopics {
  /// A topic with its device.
  package struct Line: Sendable {
    package var topic: String
    package var device: String
    /// How the topic was assigned: `manual`, `name` (by the name of the device), or `automatic` (the device was created for the
    /// topic).
    package var source: String
    package var since: Date
  }

  /// An unassigned topic with stored messages.
  package struct Waiting: Sendable {
    package var topic: String
    package var messages: Int
    package var first: Date
    package var last: Date
  }

  /// The topics of devices, in the order of their texts.
  /// - Parameters:
  ///   - name: the name of the device; `nil`: all devices.
  ///   - store: the store.
  /// - Throws: ``PendingSettings/UnknownDevice`` if the device does not exist, or the database's error.
  package static func lines(device name: String?, in store: any StoreDatabase) throws -> [Line] {
    let device = try name.map { try Self.device($0, in: store) }
    return try store.read { try MQTTTables.bindings(of: device?.id, $0) }.map {
      Line(topic: $0.topic, device: $0.device.name, source: $0.source, since: $0.created)
    }
  }

  /// The unassigned topics with stored messages.
  /// - Parameter store: the store.
  /// - Throws: the database's error.
  package static func waiting(in store: any StoreDatabase) throws -> [Waiting] {
    try store.read { try MQTTTables.unassignedTopics($0) }.map {
      Waiting(topic: $0.topic, messages: $0.messages, first: $0.first, last: $0.last)
    }
  }

  /// Whether a text is a valid topic of a device: at least three non-empty levels without wildcards.
  /// - Parameter topic: the text.
  package static func isTopic(_ topic: String) -> Bool { MQTTTopic.isBase(topic) }

  /// Assigns a topic to a device. If the topic was assigned to another device, that assignment is removed.
  /// - Parameters:
  ///   - topic: valid according to ``isTopic(_:)``.
  ///   - name: the name of the device.
  ///   - store: the store.
  /// - Throws: ``PendingSettings/UnknownDevice`` if the device does not exist, or the database's error.
  package static func bind(_ topic: String, device name: String, in store: any StoreDatabase) async throws {
    let device = try device(name, in: store)
    let now = store.clock.now
    try await store.write { try MQTTTables.bind(topic, to: device.id, .manual, at: now, $0) }
  }

  /// Removes a topic from a device.
  /// - Parameters:
  ///   - topic: the topic.
  ///   - name: the name of the device.
  ///   - store: the store.
  /// - Returns: whether the device had the topic.
  /// - Throws: ``PendingSettings/UnknownDevice`` if the device does not exist, or the database's error.
  package static func unbind(_ topic: String, device name: String, in store: any StoreDatabase) async throws -> Bool {
    let device = try device(name, in: store)
    return try await store.write { try MQTTTables.unbind(device.id, topic: topic, $0) } > 0
  }

  private static func device(_ name: String, in store: any StoreDatabase) throws -> Device {
    guard let device = try store.device(named: name) else { throw PendingSettings.UnknownDevice(name: name) }
    return device
  }
}
