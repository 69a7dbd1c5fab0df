public import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// Reads a message about the device and not about a position: `lwt`, `steps`, `beacon`. The result is an action with the
  /// name in `_type`.
  /// - Parameters:
  ///   - bytes: the complete message.
  ///   - received: the time of receipt, which is used for a message without `tst`.
  /// - Returns: The action; the other members of the message are in its extras.
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

  /// A `card`: the name and the picture of a person.
  public struct Card: Sendable, Hashable, Codable {
    public var name: String?
    /// A picture in Base64.
    public var face: String?
    /// Two characters by which an app assigns locations to the card.
    public var tid: String?

    /// - Parameters:
    ///   - name: the name of the person or the device.
    ///   - face: a picture in Base64.
    ///   - tid: two characters.
    public init(name: String? = nil, face: String? = nil, tid: String? = nil) {
      self.name = name
      self.face = face
      self.tid = tid
    }
  }

  /// Maximum number of characters of a picture in a card. Apps show the picture in the size of a button.
  public static let maximumAvatarBytes = 256 << 10

  /// Reads a `card`.
  /// - Parameter bytes: the complete message.
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
  ///   - card: the name and the picture.
  ///   - tid: the two characters in the locations of the card.
  ///   - bytes: the buffer to which the card is appended.
  public static func write(_ card: Card, tid: String, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"card""#, to: &bytes)
    JSONWriter.member(#","name":"#, card.name, to: &bytes)
    JSONWriter.member(#","face":"#, card.face, to: &bytes)
    JSONWriter.member(#","tid":"#, tid, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the location of another device, with only the members that an app shows.
  /// - Parameters:
  ///   - fix: the fix of the device.
  ///   - battery: the battery level of the device, 0…1.
  ///   - tid: the two characters in the card of the device.
  ///   - topic: `owntracks/USER/DEVICE`.
  ///   - bytes: the buffer to which the location is appended.
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

  /// The actions of commands that apps support.
  public static let actions = [
    "reportLocation", "reportSteps", "dump", "status", "waypoints", "setWaypoints", "clearWaypoints", "setConfiguration",
  ]

  /// Checks a command and completes it.
  /// - Parameter bytes: an object with an `action`; `setWaypoints` has `waypoints`, `setConfiguration` a `configuration`.
  /// - Returns: The message `cmd`.
  /// - Throws: `FormatError` with the byte and the path.
  public static func command(_ bytes: consuming [UInt8]) throws(FormatError) -> [UInt8] {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      try OwnTracksCommand(from: &json).message
    }
  }

  // MARK: Encryption

  /// Reads a message `encrypted`.
  /// - Returns: the nonce and the box, in the format of libsodium.
  /// - Parameter bytes: the complete message.
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
  ///   - box: the nonce and the box.
  ///   - bytes: the buffer to which the message is appended.
  public static func writeEncrypted(_ box: [UInt8], into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"encrypted","data":"#, to: &bytes)
    JSONWriter.string(Data(box).base64EncodedString(), to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Returns a message without the members of some names, also in nested objects and arrays, because the reported settings of
  /// a device contain passwords.
  /// - Parameters:
  ///   - bytes: a JSON object.
  ///   - names: the names of the removed members.
  /// - Throws: `FormatError` if the text is not a JSON object.
  public static func text(of bytes: consuming [UInt8], without names: [StaticString]) throws(FormatError) -> String {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      try json.object(without: names, isDeep: true)
    }
  }
}
