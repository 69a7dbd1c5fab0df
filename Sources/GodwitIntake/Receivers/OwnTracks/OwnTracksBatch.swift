internal import Foundation
package import GodwitHTTP
package import GodwitModel
package import GodwitStore
internal import GodwitText
internal import GodwitWire

/// The decoded content of a device's messages.
package struct OwnTracksBatch: Sendable {
  package let sender: OwnTracksInbox.Sender
  let received: Date
  private let key: OwnTracksKey?
  private let isSealedOnly: Bool
  package var records: [Record] = []
  package var rejections: [RejectedRecord] = []
  /// Messages that create or change regions. They need the store.
  private(set) var waypoints: [OwnTracks.Message] = []
  private(set) var hasTransitions = false
  private(set) var hasLocation = false
  /// Reports of the app about itself, such as its settings.
  private(set) var reports: [(type: String, body: String)] = []
  /// Whether the app is Overland in its OwnTracks mode.
  private(set) var isOverland: Bool
  /// The problem of the answer; `nil` if the request succeeds.
  private(set) var problem: Problem?

  /// - Parameters:
  ///   - sender: the sender of the messages.
  ///   - configuration: the key of the app, and whether plain messages are rejected.
  ///   - received: the time of receipt.
  init(sender: OwnTracksInbox.Sender, _ configuration: AppConfiguration, received: Date) {
    self.sender = sender
    key = configuration.key.map { OwnTracksKey(passPhrase: $0) }
    isSealedOnly = configuration.isSealedOnly
    self.received = received
    isOverland = sender.agent?.hasPrefix("Overland") ?? false
  }

  /// What is needed to decode a message again.
  package var origin: RejectedRecordOrigin { RejectedRecordOrigin(.owntracks, label: sender.label, agent: sender.agent) }

  /// Members of an app's settings that are secret.
  private static let secrets: [StaticString] = ["password", "encryptionKey", "clientpkcs12", "passphrase"]

  package mutating func refuse(_ body: [UInt8], because problem: Problem, encoding: String? = nil) {
    rejections.append(RejectedRecord(place: "body", reason: problem.detail, raw: body, origin: origin.whole(encoding: encoding)))
    self.problem = problem
  }

  /// Decodes the messages of a request.
  /// - Parameters:
  ///   - body: the body of the request.
  ///   - maximumMessages: the maximum number of messages.
  package mutating func read(_ body: [UInt8], maximumMessages: Int = RecordBatch.maximumRecords) {
    // Apps clear a retained message by publishing an empty one.
    guard body.contains(where: { $0 > 0x20 }) else { return }
    do throws(FormatError) {
      for message in try OwnTracks.messages(body, maximumMessages: maximumMessages) {
        try check(message)
        sort(message, isSealed: false)
      }
    } catch {
      rejections.append(
        RejectedRecord(place: error.place.description, reason: error.reason, raw: body, origin: origin.whole()))
      problem = Problem(error, "Not an OwnTracks request")
    }
  }

  /// Throws if too many messages were rejected to decode another one.
  private func check(_ message: OwnTracks.Message) throws(FormatError) {
    guard rejections.count >= RecordBatch.maximumRejected else { return }
    throw FormatError(
      format: "OwnTracks", place: message.place, reason: "\(rejections.count) messages are not valid; the others were not read",
      isLimit: true)
  }

  /// Whether there is nothing to store.
  package var isEmpty: Bool { records.isEmpty && rejections.isEmpty && waypoints.isEmpty && reports.isEmpty }

  /// Drops records, rejected records and reports that are already stored.
  package mutating func discardKnown(_ store: any StoreDatabase) throws {
    let device = sender.device.id
    let (kept, reported) = try store.read { db in
      (
        try rejections.filter {
          try db.integer("SELECT 1 FROM rejected_records WHERE device = ? AND raw = ? LIMIT 1", device, $0.raw) == nil
        },
        try reports.filter { try AppTables.report($0.type, of: device, db) != $0.body }
      )
    }
    (rejections, reports) = (kept, reported)
    records = try records.filter { record in
      // A private zone may have coarsened the stored position, but the time is unchanged.
      guard case .fix(let fix) = record.kind else { return true }
      let next = fix.time.addingTimeInterval(0.001)
      return try store.points(PointQuery(device: device, from: fix.time, to: next, limit: 1)).isEmpty
    }
  }

  private mutating func refuse(_ message: OwnTracks.Message, _ reason: String, _ place: FormatError.Place? = nil) {
    rejections.append(
      RejectedRecord(place: (place ?? message.place).description, reason: reason, raw: message.bytes, origin: origin))
  }

  /// Rejects a plain message of a device that must encrypt its messages. A last will (`lwt`) is accepted, because the broker sends
  /// it and it has no position.
  private mutating func refusePlain(_ message: OwnTracks.Message) -> Bool {
    guard isSealedOnly, message.type != "encrypted", message.type != "lwt" else { return false }
    refuse(message, "the message is not encrypted, and this device accepts only encrypted ones")
    problem = Problem(
      422, "Not encrypted",
      "The message is not encrypted, and this device accepts only encrypted ones. Set the encryption key in the app's settings; the "
        + "messages that wait in the app are sent again then.", at: message.place.path)
    return true
  }

  private mutating func sort(_ message: OwnTracks.Message, isSealed: Bool) {
    if !isSealed, refusePlain(message) { return }
    // The size is not limited for other types, because lists of regions and settings may be long.
    if ["location", "transition", "lwt", "steps", "beacon", "card", "status"].contains(message.type),
      message.bytes.count > RecordLimits.messageBytes
    {
      return refuse(message, "the message has \(message.bytes.count) bytes; expected at most \(RecordLimits.messageBytes)")
    }
    do throws(FormatError) {
      switch message.type {
      case "location":
        let record = try OwnTracks.readLocation(message.bytes, received: received)
        // Only Overland sends timestamps in seconds since 2001.
        if OwnTracks.isRepaired(record) { isOverland = true }
        hasLocation = true
        add(record)
      case "transition":
        add(try OwnTracks.readTransition(message.bytes))
        hasTransitions = true
      case "waypoint", "waypoints": waypoints.append(message)
      case "lwt", "steps", "beacon": add(try OwnTracks.readAction(message.bytes, received: received))
      case "card":
        let card = try OwnTracks.readCard(message.bytes)
        var text: [UInt8] = []
        OwnTracks.write(card, tid: card.tid ?? "", into: &text)
        reports.append(("card", String(decoding: text, as: UTF8.self)))
      case "status", "dump", "configuration":
        let type = message.type == "status" ? "status" : "configuration"
        reports.append((type, try OwnTracks.text(of: message.bytes, without: Self.secrets)))
      case "encrypted" where !isSealed: try open(message)
      // Commands and requests are meant for apps, not for the server.
      case "cmd", "request": break
      case let other?: refuse(message, "\(other.prefix(40).debugDescription) is a _type that this server does not know")
      case nil: if !handleFeature(message) { refuse(message, "expected an object with a _type") }
      }
    } catch {
      refuse(message, error.reason, message.place(of: error.place))
    }
  }

  private mutating func add(_ record: Record) {
    var record = record
    record.context.deviceID = record.context.deviceID ?? sender.label
    records.append(record)
  }

  /// Decodes a visit or a trip that Overland sends in its own format.
  private mutating func handleFeature(_ message: OwnTracks.Message) -> Bool {
    guard let request = try? Overland.read(message.bytes), !request.records.isEmpty else { return false }
    for record in request.records { add(record) }
    isOverland = true
    return true
  }

  private mutating func open(_ message: OwnTracks.Message) throws(FormatError) {
    guard let key else {
      refuse(message, "the message is encrypted, and this server has no key")
      problem = Problem(
        422, "Encrypted",
        "The message is encrypted, and the server has no key for this device. Set it: PUT /api/v1/devices/NAME/owntracks-key, "
          + "or remove the encryption key from the app's settings; HTTPS encrypts the connection.",
        at: message.place.path)
      return
    }
    guard let inside = key.open(try OwnTracks.readEncrypted(message.bytes)) else {
      refuse(message, "the message is encrypted with a key other than the server's key of this device, or damaged")
      problem = Problem(
        422, "Wrong key",
        "The message is encrypted with a key other than the server's key of this device. Set the app's key: "
          + "PUT /api/v1/devices/NAME/owntracks-key.", at: message.place.path)
      return
    }
    do throws(FormatError) {
      for inner in try OwnTracks.messages(inside) {
        try check(inner)
        sort(inner, isSealed: true)
      }
    } catch {
      rejections.append(
        RejectedRecord(place: "inside, \(error.place)", reason: error.reason, raw: inside, origin: origin.whole()))
    }
  }
}
