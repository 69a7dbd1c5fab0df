package import Foundation
package import GodwitStore

/// Topics of devices at an MQTT broker, for a program that has the store in its hands. A running server knows of a change within
/// seconds.
package enum DeviceTopics {
  /// A topic that is a device's.
  package struct Line: Sendable {
    package var topic: String
    package var device: String
    /// Who said so: `owner`, `name` (it is called so), `made` (for the topic).
    package var bound: String
    package var since: Date
  }

  /// A topic without a device.
  package struct Waiting: Sendable {
    package var topic: String
    package var messages: Int
    package var first: Date
    package var last: Date
  }

  /// By topic.
  /// - Parameters:
  ///   - name: of a device; `nil`: of all.
  ///   - store: where they are.
  /// - Throws: ``PendingSettings/UnknownDevice`` where there is no such device, or the database's error.
  package static func lines(device name: String?, in store: any StoreDatabase) throws -> [Line] {
    let device = try name.map { try Self.device($0, in: store) }
    return try store.read { try MQTTTables.bindings(of: device?.id, $0) }.map {
      Line(topic: $0.topic, device: $0.device.name, bound: $0.bound, since: $0.created)
    }
  }

  /// What came for topics without a device.
  /// - Parameter store: where it is.
  /// - Throws: the database's error.
  package static func waiting(in store: any StoreDatabase) throws -> [Waiting] {
    try store.read { try MQTTTables.unassignedTopics($0) }.map {
      Waiting(topic: $0.topic, messages: $0.messages, first: $0.first, last: $0.last)
    }
  }

  /// Whether a text can be a device's topic: three parts at least, none of them empty.
  /// - Parameter topic: as it was written.
  package static func isTopic(_ topic: String) -> Bool { MQTTTopic.isBase(topic) }

  /// Assigns a topic to a device, and takes it from any other.
  /// - Parameters:
  ///   - topic: of ``isTopic(_:)``.
  ///   - name: of the device.
  ///   - store: where it is kept.
  /// - Throws: ``PendingSettings/UnknownDevice`` where there is no such device, or the database's error.
  package static func bind(_ topic: String, device name: String, in store: any StoreDatabase) async throws {
    let device = try device(name, in: store)
    try await store.write { try MQTTTables.bind(topic, to: device.id, .owner, at: Date(), $0) }
  }

  /// Says that a topic is a device's no longer.
  /// - Parameters:
  ///   - topic: that it has.
  ///   - name: of the device.
  ///   - store: where it is kept.
  /// - Returns: whether it was.
  /// - Throws: ``PendingSettings/UnknownDevice`` where there is no such device, or the database's error.
  package static func unbind(_ topic: String, device name: String, in store: any StoreDatabase) async throws -> Bool {
    let device = try device(name, in: store)
    return try await store.write { try MQTTTables.unbind(device.id, topic: topic, $0) } > 0
  }

  private static func device(_ name: String, in store: any StoreDatabase) throws -> Device {
    guard let device = try store.device(named: name) else { throw PendingSettings.UnknownDevice(name: name) }
    return device
  }
}
