public import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// Reads a message that reports of the device and not of a place: `lwt`, `steps`, `beacon`. It becomes an action of its `_type`.
  /// - Parameters:
  ///   - bytes: the whole message.
  ///   - received: when it came; the time of one that has no `tst`.
  /// - Returns: The action; everything that the message says is in its extras.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readAction(_ bytes: consuming [UInt8], received: Date) throws(FormatError) -> Record {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var others = UnmappedMembers()
      var (name, time): (String?, Date?)
      try others.readObject(from: &json) { (json, key, _) throws(JSONReader.Fault) in
        if json.matches(key, "_type") {
          name = try json.text { _ in nil }
          return true
        }
        guard json.matches(key, "tst") else { return false }
        time = Date(millisecondsSince1970: try json.timestamp())
        return true
      }
      guard let name else { throw json.unexpected("there is no _type", at: 0, path: "._type") }
      return Record(kind: .action(Action(time: time ?? received, name: name)), extras: others.text)
    }
  }

  /// What a `card` says of a person.
  public struct Card: Sendable, Hashable, Codable {
    public var name: String?
    /// A picture in Base64.
    public var face: String?
    /// Two characters, by which an app knows whose places it is reported.
    public var tid: String?

    /// - Parameters:
    ///   - name: of the person or the device.
    ///   - face: a picture in Base64.
    ///   - tid: two characters.
    public init(name: String? = nil, face: String? = nil, tid: String? = nil) {
      self.name = name
      self.face = face
      self.tid = tid
    }
  }

  /// Characters of a picture in a card that are taken: apps show it as small as a button.
  public static let maximumAvatarBytes = 256 << 10

  /// Reads a `card`.
  /// - Parameter bytes: the whole message.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readCard(_ bytes: consuming [UInt8]) throws(FormatError) -> Card {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var (card, others) = (Card(), UnmappedMembers())
      try others.readObject(from: &json) { (json, key, _) throws(JSONReader.Fault) in
        guard let member = CardMember(key, in: json), try json.kind() == .string else { return false }
        let value = try json.text { value in
          member == .face && value.utf8.count > maximumAvatarBytes
            ? "the picture has \(value.utf8.count) characters; expected at most \(maximumAvatarBytes)" : nil
        }
        switch member {
        case .name: card.name = value
        case .face: card.face = value
        case .tid: card.tid = value
        }
        return true
      }
      return card
    }
  }

  private enum CardMember: Int, KnownMember {
    case name, face, tid
    static let names: [StaticString] = ["name", "face", "tid"]
  }

  /// Appends a card.
  /// - Parameters:
  ///   - card: what is known of the person.
  ///   - tid: of the places that it belongs to.
  ///   - bytes: what it is appended to.
  public static func write(_ card: Card, tid: String, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"card""#, to: &bytes)
    JSONWriter.member(#","name":"#, card.name, to: &bytes)
    JSONWriter.member(#","face":"#, card.face, to: &bytes)
    JSONWriter.member(#","tid":"#, tid, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the place of another device, as an app shows it: nothing but what it needs.
  /// - Parameters:
  ///   - fix: where it is.
  ///   - battery: of the device, 0…1.
  ///   - tid: the same as its card's.
  ///   - topic: `owntracks/USER/DEVICE`.
  ///   - bytes: what it is appended to.
  public static func writeFriend(_ fix: Fix, battery: Double?, tid: String, topic: String, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"location","lat":"#, to: &bytes)
    JSONWriter.number(fix.coordinate.latitude, decimals: 7, to: &bytes)
    JSONWriter.raw(#","lon":"#, to: &bytes)
    JSONWriter.number(fix.coordinate.longitude, decimals: 7, to: &bytes)
    JSONWriter.raw(#","tst":"#, to: &bytes)
    JSONWriter.number(fix.time.wholeSecondsSince1970, to: &bytes)
    JSONWriter.member(#","acc":"#, fix.horizontalAccuracy, decimals: 0, to: &bytes)
    JSONWriter.member(#","alt":"#, fix.altitude, decimals: 0, to: &bytes)
    JSONWriter.member(#","vel":"#, fix.speed.map { $0 * 3.6 }, decimals: 0, to: &bytes)
    JSONWriter.member(#","batt":"#, battery.map { $0 * 100 }, decimals: 0, to: &bytes)
    JSONWriter.member(#","tid":"#, tid, to: &bytes)
    JSONWriter.member(#","topic":"#, topic, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  // MARK: Commands

  /// What an app can be reported to do.
  public static let actions = [
    "reportLocation", "reportSteps", "dump", "status", "waypoints", "setWaypoints", "clearWaypoints", "setConfiguration",
  ]

  /// Checks a command, and completes it.
  /// - Parameter bytes: an object with an `action`; `setWaypoints` has `waypoints`, `setConfiguration` a `configuration`.
  /// - Returns: The message `cmd`.
  /// - Throws: `FormatError` with the byte and the path.
  public static func command(_ bytes: consuming [UInt8]) throws(FormatError) -> [UInt8] {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      try OwnTracksCommand(from: &json).message
    }
  }

  // MARK: Encryption

  /// What is in a message `encrypted`: nonce and box, as libsodium has them.
  /// - Parameter bytes: the whole message.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readEncrypted(_ bytes: consuming [UInt8]) throws(FormatError) -> [UInt8] {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var (box, others): ([UInt8]?, UnmappedMembers) = (nil, UnmappedMembers())
      try others.readObject(from: &json) { (json, key, _) throws(JSONReader.Fault) in
        guard json.matches(key, "data") else { return false }
        let start = json.position
        guard let data = Data(base64Encoded: try json.text { _ in nil }, options: .ignoreUnknownCharacters) else {
          throw json.unexpected("expected Base64", at: start)
        }
        box = Array(data)
        return true
      }
      guard let box else { throw json.unexpected("an encrypted message needs data", at: 0, path: ".data") }
      return box
    }
  }

  /// Appends a message `encrypted`.
  /// - Parameters:
  ///   - box: nonce and box.
  ///   - bytes: what it is appended to.
  public static func writeEncrypted(_ box: [UInt8], into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"encrypted","data":"#, to: &bytes)
    JSONWriter.string(Data(box).base64EncodedString(), to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// A message without the members of these names, at any depth of objects: what a device says of its settings has its passwords.
  /// - Parameters:
  ///   - bytes: a JSON object.
  ///   - names: of the members.
  /// - Throws: `FormatError` where it is not a JSON object.
  public static func text(of bytes: consuming [UInt8], without names: [StaticString]) throws(FormatError) -> String {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in try json.object(without: names) }
  }
}
