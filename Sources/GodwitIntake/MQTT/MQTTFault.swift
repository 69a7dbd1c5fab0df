internal import CMosquitto
internal import Foundation

/// The reason why there is no connection to the broker.
package struct MQTTFault: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// The broker refused the connection.
    case rejected
    /// The broker does not support the requested version of MQTT.
    case version
    /// The broker cannot be reached, or the connection was lost.
    case network
    case certificates
    /// Another client uses the same identifier.
    case takenOver
    /// The broker does not accept a message of this size. The connection continues.
    case size
    case other
  }
  package var kind: Kind
  /// One or two sentences without a full stop at the end: the fault, its place, and the remedy.
  package let description: String

  package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

  /// - Parameter reason: the reason code of CONNACK.
  package init(refusedBy address: BrokerAddress, reason: Int32, _ version: BrokerAddress.Version) {
    let isVersion = reason == MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.code || version == .three && reason == 1
    let isName = reason == MQTT_RC_CLIENTID_NOT_VALID.code || version == .three && reason == 2
    let isLogin =
      [MQTT_RC_BAD_USERNAME_OR_PASSWORD.code, MQTT_RC_NOT_AUTHORIZED.code].contains(reason) || version == .three && reason > 3
    switch true {
    case isVersion:
      self.init(
        .version, "the broker at \(address) does not speak MQTT \(version.rawValue); append ?version=3.1.1 to its address")
    case isName:
      self.init(.rejected, "the broker at \(address) rejects the client identifier; choose another --mqtt-client-id")
    case isLogin:
      let who = address.user.map { "the user \($0.debugDescription)" } ?? "a client without user and password"
      self.init(
        .rejected,
        "the broker at \(address) rejects \(who): the name or the password is wrong, or the user may not connect. The address of --mqtt has the name; "
          + "the password is in the same address, in the file of --mqtt-password-file, or in $GODWIT_MQTT_PASSWORD")
    default:
      let text = version == .five ? mosquitto_reason_string(reason) : mosquitto_connack_string(reason)
      self.init(.rejected, "the broker at \(address) rejects the connection: \(text.map { String(cString: $0) } ?? "\(reason)")")
    }
  }

  /// - Parameters:
  ///   - result: the result of the library.
  ///   - address: the address of the broker.
  ///   - said: the last line that the library logged.
  package init(_ result: Int32, at address: BrokerAddress, saying said: String) {
    let system = errno
    let text = mosquitto_strerror(result).map { String(cString: $0) } ?? "error \(result)"
    switch result {
    case MOSQ_ERR_ERRNO.rawValue:
      self.init(.network, "the broker at \(address) cannot be reached: \(String(cString: strerror(system)))")
    case MOSQ_ERR_EAI.rawValue:
      self.init(.network, "the broker's name \(address.host.debugDescription) is unknown; check --mqtt")
    case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_KEEPALIVE.rawValue:
      self.init(.network, "the connection to the broker at \(address) was lost")
    case MOSQ_ERR_OVERSIZE_PACKET.rawValue, MOSQ_ERR_PAYLOAD_SIZE.rawValue:
      self.init(.size, "the broker at \(address) does not accept messages of this size; increase its maximum packet size")
    case MOSQ_ERR_TLS.rawValue:
      let more = said.isEmpty ? "" : " (\(said.trimmingCharacters(in: .whitespacesAndNewlines)))"
      self.init(
        .certificates,
        "TLS with the broker at \(address) failed\(more); check that the port is the one for TLS, that ca= is the CA certificate "
          + "of the broker, and that the broker's certificate has the host's name")
    default:
      self.init(.other, "the connection to the broker at \(address) failed: \(said.isEmpty ? text : said)")
    }
  }
}
