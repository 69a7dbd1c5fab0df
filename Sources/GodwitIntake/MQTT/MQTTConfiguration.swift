/// How the server takes part in an MQTT broker.
public struct MQTTConfiguration: Sendable {
  /// Where the broker is, and who we are there.
  public var broker: BrokerAddress
  /// Where devices publish.
  public var topics = MQTTTopicFilter.standard
  /// What the broker knows this server by, and keeps messages for while it is away. `nil`: a name by chance, kept in the data
  /// folder.
  public var clientID: String?
  /// Whether a device is made for a topic that belongs to none.
  public var makesDevices = false
  /// Told in a sentence of what a person should know.
  public var note: @Sendable (String) -> Void

  /// - Parameters:
  ///   - broker: where it is.
  ///   - note: told in a sentence of what a person should know: connections that come and go, and why.
  public init(broker: BrokerAddress, note: @escaping @Sendable (String) -> Void = { _ in }) {
    self.broker = broker
    self.note = note
  }
}
