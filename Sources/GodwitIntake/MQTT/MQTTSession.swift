internal import CMosquitto
internal import Foundation

/// A connection to a broker, on one thread.
///
/// libmosquitto queues the acknowledgement of a message before it calls the message callback. With `mosquitto_threaded_set` the
/// library sends nothing by itself, so that packets are sent only in ``send()``. If ``send()`` is called after the commit, only
/// committed messages are acknowledged.
package final class MQTTSession {
  /// A received message.
  package struct Message {
    package var topic: String
    package var body: [UInt8]
    /// Whether the broker repeats a retained message to a new subscriber.
    package var isReplay: Bool
  }

  /// The broker's acknowledgement of a published message.
  package struct Receipt {
    package var number: Int32
    /// Whether the broker accepted the message.
    package var isTaken: Bool
    /// Whether a client is subscribed to the topic. Only brokers of version 5 report this; otherwise `true`.
    package var hasReader: Bool
  }

  /// The broker's address, without a password.
  private let address: BrokerAddress
  private let version: BrokerAddress.Version
  private let handle: OpaquePointer
  /// The last log line of the library, which is more specific than its error codes.
  private var said = ""
  private var rejection: MQTTFault?

  /// Whether the broker accepted the connection.
  private(set) var isAdmitted = false
  private var messages: [Message] = []
  private var receipts: [Receipt] = []
  /// Topics whose subscription the broker rejected.
  private(set) var rejectedTopics: [String] = []
  private var subscriptions: [Int32: [String]] = [:]

  /// Seconds without a packet after which a ping is sent.
  package static let keepAlive: Int32 = 30
  /// Maximum unacknowledged messages from the broker, if the broker supports that many.
  private static let window: Int32 = 1000
  private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

  /// - Parameters:
  ///   - address: the address of the broker.
  ///   - clientID: the client identifier, which identifies the session at the broker.
  ///   - version: the version of the protocol.
  /// - Throws: ``MQTTFault`` if certificates cannot be read.
  package init(_ address: BrokerAddress, clientID: String, version: BrokerAddress.Version) throws(MQTTFault) {
    // No clean start, so that the broker resumes the session.
    guard Self.isReady, let handle = mosquitto_new(clientID, false, nil) else {
      throw MQTTFault(.other, "libmosquitto could not be set up: \(String(cString: strerror(errno)))")
    }
    (self.address, self.version, self.handle) = (address, version, handle)
    // The pointer is valid as long as the handle, which this object destroys in `deinit`.
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_threaded_set(handle, true)
    mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version == .five ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
    mosquitto_int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, Self.window)
    mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    if let user = address.user { mosquitto_username_pw_set(handle, user, address.password) }
    listen()
    if address.isSecure { try secure() }
  }

  deinit { mosquitto_destroy(handle) }

  private func secure() throws(MQTTFault) {
    for file in [address.authorities, address.certificate, address.key].compactMap(\.self) {
      guard FileManager.default.isReadableFile(atPath: file) else {
        throw MQTTFault(.certificates, "\(file) cannot be read; check its name and its permissions")
      }
    }
    if address.authorities == nil { mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
    guard address.authorities != nil else { return try expect(mosquitto_tls_opts_set(handle, 1, nil, nil)) }
    try expect(mosquitto_tls_set(handle, address.authorities, nil, address.certificate, address.key, nil))
  }

  // MARK: The connection

  /// Begins to connect. Blocks while the network connection is established. The broker's answer sets ``isAdmitted`` later.
  package func connect() throws(MQTTFault) {
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if version == .five {
      // The session never expires, if the broker supports that.
      mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), .max)
    }
    try expect(mosquitto_connect_bind_v5(handle, address.host, Int32(address.port), Self.keepAlive, nil, properties))
  }

  /// The socket; -1 if there is none.
  package var socket: Int32 { mosquitto_socket(handle) }
  package var wantsToSend: Bool { mosquitto_want_write(handle) }

  /// Reads available data. Sends nothing.
  package func read() throws(MQTTFault) { try expect(mosquitto_loop_read(handle, 1)) }

  /// Sends as much as the network accepts: acknowledgements of everything that was read, and published messages.
  package func send() throws(MQTTFault) { try expect(mosquitto_loop_write(handle, 1)) }

  /// Sends a ping if one is due. Must be called about once a second.
  package func runKeepAlive() throws(MQTTFault) { try expect(mosquitto_loop_misc(handle)) }

  /// Queues DISCONNECT; it is sent after everything else.
  package func leave() { mosquitto_disconnect_v5(handle, 0, nil) }

  // MARK: Messages

  /// Subscribes to topics at quality of service 1.
  package func subscribe(to topics: [String]) throws(MQTTFault) {
    let copies = topics.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var number: Int32 = 0
    let options = version == .five ? Int32(MQTT_SUB_OPT_SEND_RETAIN_NEW.rawValue) : 0
    try copies.withUnsafeBufferPointer { list throws(MQTTFault) in
      // The function does not change the strings; the C declaration lacks `const`.
      try expect(
        mosquitto_subscribe_multiple(
          handle, &number, Int32(list.count), UnsafeMutablePointer(mutating: list.baseAddress), 1, options, nil))
    }
    subscriptions[number] = topics
  }

  /// Queues a message.
  /// - Returns: the message identifier, which the receipt contains.
  package func publish(_ body: [UInt8], to topic: String, isKept: Bool) throws(MQTTFault) -> Int32 {
    var number: Int32 = 0
    try expect(mosquitto_publish_v5(handle, &number, topic, Int32(body.count), body, 1, isKept, nil))
    return number
  }

  /// Number of received messages in the queue.
  package var count: Int { messages.count }

  /// Removes and returns all received messages.
  package func takeMessages() -> [Message] {
    defer { messages = [] }
    return messages
  }

  package func takeReceipts() -> [Receipt] {
    defer { receipts = [] }
    return receipts
  }

  // MARK: Callbacks of the library

  private func listen() {
    mosquitto_connect_v5_callback_set(handle) { _, session, reason, _, _ in
      MQTTSession.of(session)?.answered(reason)
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, session, reason, _ in
      MQTTSession.of(session)?.ended(reason)
    }
    mosquitto_message_callback_set(handle) { _, session, message in
      guard let session = MQTTSession.of(session), let message = message?.pointee, let topic = message.topic else { return }
      let body = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
      session.messages.append(Message(topic: String(cString: topic), body: Array(body), isReplay: message.retain))
    }
    mosquitto_publish_v5_callback_set(handle) { _, session, number, reason, _ in
      MQTTSession.of(session)?.receipts.append(
        Receipt(number: number, isTaken: reason < 128, hasReader: reason != MQTT_RC_NO_MATCHING_SUBSCRIBERS.code))
    }
    mosquitto_subscribe_callback_set(handle) { _, session, number, count, granted in
      guard let session = MQTTSession.of(session), let topics = session.subscriptions[number] else { return }
      for (index, topic) in topics.enumerated() where index < Int(count) {
        // With a granted QoS of 0 there are no acknowledgements. It counts as rejected.
        if let granted, granted[index] != 1, granted[index] != 2 { session.rejectedTopics.append(topic) }
      }
    }
    mosquitto_log_callback_set(handle) { _, session, level, text in
      guard level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING, let text else { return }
      MQTTSession.of(session)?.said = String(cString: text)
    }
  }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> MQTTSession? {
    pointer.map { Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
  }

  private func answered(_ reason: Int32) {
    guard reason != 0 else {
      isAdmitted = true
      return
    }
    rejection = MQTTFault(refusedBy: address, reason: reason, version)
  }

  private func ended(_ reason: Int32) {
    if reason == MQTT_RC_SESSION_TAKEN_OVER.code {
      rejection = MQTTFault(
        .takenOver,
        "another client with the same identifier replaced this connection to the broker; give each server its own --mqtt-client-id"
      )
    }
  }

  private func expect(_ result: Int32) throws(MQTTFault) {
    if let rejection { throw rejection }
    guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
    throw MQTTFault(result, at: address, saying: said)
  }
}

extension mqtt5_return_codes {
  /// The value with the type that the callbacks use.
  package var code: Int32 { Int32(rawValue) }
}
