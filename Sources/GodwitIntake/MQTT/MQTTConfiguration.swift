/// The configuration of the MQTT client.
public struct MQTTConfiguration: Sendable {
  /// The address of the broker, with credentials.
  public var broker: BrokerAddress
  /// The topics of devices.
  public var topics = MQTTTopicFilter.standard
  /// The client identifier, under which the broker queues messages while the server is offline. `nil`: a random
  /// identifier, stored in the data folder.
  public var clientID: String?
  /// Whether a device is created for each unassigned topic.
  public var makesDevices = false
  /// Receives messages for the log, as sentences.
  public var note: @Sendable (String) -> Void

  /// - Parameters:
  ///   - broker: the address of the broker.
  ///   - note: receives messages for the log, as sentences: each connection, and why it ended.
  public init(broker: BrokerAddress, note: @escaping @Sendable (String) -> Void = { _ in }) {
    self.broker = broker
    self.note = note
  }
}
