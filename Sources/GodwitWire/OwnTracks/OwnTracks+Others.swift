public import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// Reads a message that tells of the device and not of a place: `lwt`, `steps`, `beacon`. It becomes an action of its `_type`.
  /// - Parameters:
  ///   - bytes: the whole message.
  ///   - received: when it came; the time of one that has no `tst`.
  /// - Returns: The action; everything that the message says is in its extras.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readAction(_ bytes: consuming [UInt8], received: Date) throws(FormatError) -> Record {
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in
      var foreign = RegionImporter()
      var (name, time): (String?, Date?)
      try reader.members(of: &foreign) { (reader, key, _) throws(JSONReader.Fault) in
        if reader.json.matches(key, "_type") {
          name = try reader.text { _ in nil }
          return true
        }
        guard reader.json.matches(key, "tst") else { return false }
        time = Date(millisecondsSince1970: try reader.moment())
        return true
      }
      guard let name else { throw reader.json.unexpected("there is no _type", at: 0, path: "._type") }
      return Record(kind: .action(Action(time: time ?? received, name: name)), extras: foreign.othersText)
    }
  }

  /// What a `card` says of a person.
  public struct Card: Sendable, Hashable, Codable {
    public var name: String?
    /// A picture in Base64.
    public var face: String?
    /// Two characters, by which an app knows whose places it is told.
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
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in
      var (card, foreign) = (Card(), RegionImporter())
      try reader.members(of: &foreign) { (reader, key, _) throws(JSONReader.Fault) in
        guard let index = reader.find(key, in: ["name", "face", "tid"]), try reader.json.kind() == .string else { return false }
        let value = try reader.text { value in
          index == 1 && value.utf8.count > maximumAvatarBytes
            ? "the picture has \(value.utf8.count) characters; expected at most \(maximumAvatarBytes)" : nil
        }
        switch index {
        case 0: card.name = value
        case 1: card.face = value
        default: card.tid = value
        }
        return true
      }
      return card
    }
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

  /// What an app can be told to do.
  public static let actions = [
    "reportLocation", "reportSteps", "dump", "status", "waypoints", "setWaypoints", "clearWaypoints", "setConfiguration",
  ]

  /// Checks a command, and completes it.
  /// - Parameter bytes: an object with an `action`; `setWaypoints` has `waypoints`, `setConfiguration` a `configuration`.
  /// - Returns: The message `cmd`.
  /// - Throws: `FormatError` with the byte and the path.
  public static func command(_ bytes: consuming [UInt8]) throws(FormatError) -> [UInt8] {
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in try reader.command() }
  }

  // MARK: Encryption

  /// What is in a message `encrypted`: nonce and box, as libsodium has them.
  /// - Parameter bytes: the whole message.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readEncrypted(_ bytes: consuming [UInt8]) throws(FormatError) -> [UInt8] {
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in
      var (box, foreign): ([UInt8]?, RegionImporter) = (nil, RegionImporter())
      try reader.members(of: &foreign) { (reader, key, _) throws(JSONReader.Fault) in
        guard reader.json.matches(key, "data") else { return false }
        let start = reader.json.position
        guard let data = Data(base64Encoded: try reader.text { _ in nil }, options: .ignoreUnknownCharacters) else {
          throw reader.json.unexpected("expected Base64", at: start)
        }
        box = Array(data)
        return true
      }
      guard let box else { throw reader.json.unexpected("an encrypted message needs data", at: 0, path: ".data") }
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
  /// - Throws: `FormatError` where it is no JSON object.
  public static func text(of bytes: consuming [UInt8], without names: [StaticString]) throws(FormatError) -> String {
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in try reader.object(without: names) }
  }
}

extension RegionReader {
  /// An object without some members, also in the objects inside it.
  fileprivate mutating func object(without names: [StaticString], depth: Int = 0) throws(Fault) -> String {
    var foreign = RegionImporter()
    try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
      if reader.find(key, in: names) != nil {
        try reader.json.skipValue()
        return true
      }
      guard try reader.json.kind() == .object, depth < JSONReader.maximumDepth else { return false }
      var member: [UInt8] = []
      JSONWriter.string(reader.json.decoded(key), to: &member)
      let inner = try reader.object(without: names, depth: depth + 1)
      foreign.keep(member + Array(":\(inner)".utf8))
      return true
    }
    return foreign.othersText ?? "{}"
  }

  fileprivate mutating func command() throws(Fault) -> [UInt8] {
    var foreign = RegionImporter()
    var action: String?
    var (waypoints, configuration): (String?, String?)
    _ = json.peek()
    let start = json.position
    try members(of: &foreign) { (reader, key, _) throws(Fault) in
      switch reader.find(key, in: ["_type", "action", "waypoints", "configuration"]) {
      case 0: _ = try reader.text { $0 == "cmd" ? nil : "\($0.prefix(20).debugDescription) is no command; expected cmd" }
      case 1:
        action = try reader.text { text in
          OwnTracks.actions.contains(text)
            ? nil
            : "\(text.prefix(40).debugDescription) is nothing that an app can do; expected one of "
              + OwnTracks.actions.joined(separator: ", ")
        }
      case 2: waypoints = try reader.waypointsText()
      case 3:
        guard try reader.json.kind() == .object else {
          throw reader.json.unexpected("expected an object", at: reader.json.position)
        }
        let text = try reader.object(without: ["_type"])
        configuration = #"{"_type":"configuration""# + (text == "{}" ? "}" : "," + text.dropFirst())
      default: return false
      }
      return true
    }
    guard let action else { throw json.unexpected("a command needs an action", at: start, path: ".action") }
    for (name, value, owner) in [
      ("waypoints", waypoints, "setWaypoints"), ("configuration", configuration, "setConfiguration"),
    ] {
      guard (value != nil) == (action == owner) else {
        throw json.unexpected(
          value == nil ? "\(action) needs \(name)" : "only \(owner) has \(name)", at: start, path: ".\(name)")
      }
    }
    var text = #"{"_type":"cmd","action":"\#(action)""#
    if let waypoints { text += #","waypoints":\#(waypoints)"# }
    if let configuration { text += #","configuration":\#(configuration)"# }
    if let others = foreign.othersText { text += "," + others.dropFirst().dropLast() }
    return Array((text + "}").utf8)
  }

  /// The message `waypoints`, or the array in it.
  private mutating func waypointsText() throws(Fault) -> String {
    switch try json.kind() {
    case .array: return #"{"_type":"waypoints","waypoints":\#(json.verbatim(try json.skipValue()))}"#
    case .object:
      let text = try object(without: ["_type"])
      return #"{"_type":"waypoints""# + (text == "{}" ? "}" : "," + text.dropFirst())
    default: throw json.unexpected("expected an array of waypoints, or a message that has one", at: json.position)
    }
  }
}
