internal import GodwitText

/// Walks over the members of an object of which all names are known, and none may stand there twice.
///
///     var members = try MemberCursor<Member>(of: &json, expected: "a window")
///     do throws(Fault) {
///       while let member = try members.next(in: &json, &unknown) { … }
///     } catch { throw members.located(error) }
struct MemberCursor<Member: KnownMember> {
  typealias Fault = JSONReader.Fault

  /// A bit for each member that stood there.
  private var seen: UInt32 = 0
  private var isFirst = true
  /// The member whose value comes next.
  private var current: Member?
  /// Where the value that comes next ends, where it is `null`.
  private var endOfNull: Int?

  /// Takes the opening brace.
  /// - Parameters:
  ///   - json: stands before the object.
  ///   - expected: what the object is, for the fault where there is none.
  @inline(__always)
  init(of json: inout JSONReader, expected: StaticString) throws(Fault) {
    guard try json.kind() == .object else { throw json.unexpected("expected \(expected)", at: json.position) }
    json.position += 1
  }

  /// Whether the value that comes next is `null`. It may be left unread; a member that must be something refuses it by its own
  /// reader.
  var isNull: Bool { endOfNull != nil }

  /// The next member, whose value comes next in the text; `nil` behind the last one.
  @inline(__always)
  mutating func next(in json: inout JSONReader, _ unknown: inout UnknownMembers) throws(Fault) -> Member? {
    if let endOfNull { json.position = endOfNull }
    (current, endOfNull) = (nil, nil)
    if isFirst {
      isFirst = false
      guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return nil }
    } else {
      guard try json.hasMore(closing: UInt8(ascii: "}")) else { return nil }
    }
    while true {
      _ = json.peek()
      let place = json.position
      let key = try json.key()
      guard let member = Member(key, in: json) else {
        try unknown.skip(key, at: place, in: &json, among: Member.names)
        guard try json.hasMore(closing: UInt8(ascii: "}")) else { return nil }
        continue
      }
      current = member
      let bit: UInt32 = 1 << UInt32(member.rawValue)
      guard seen & bit == 0 else { throw json.unexpected("the field is given twice", at: place) }
      seen |= bit
      guard json.peek() == UInt8(ascii: "n") else { return member }
      let start = json.position
      try json.null()
      endOfNull = json.position
      json.position = start
      return member
    }
  }

  /// The same fault, with the member in its path whose value was being read.
  func located(_ fault: Fault) -> Fault { current.map { fault.below(".\($0.name)") } ?? fault }
}

/// What happens to members that are not known: they are faults, or skipped and counted.
struct UnknownMembers {
  /// Whether they are faults. What a newer program wrote may have some that are none.
  let areFaults: Bool
  /// How many were skipped so far.
  private(set) var passedOver = 0

  init(areFaults: Bool) { self.areFaults = areFaults }

  /// Passes the value of a member.
  /// - Parameters:
  ///   - key: its name.
  ///   - place: where the name begins.
  ///   - json: stands before the value.
  ///   - names: the known ones.
  fileprivate mutating func skip(
    _ key: JSONReader.Text, at place: Int, in json: inout JSONReader, among names: [StaticString]
  ) throws(JSONReader.Fault) {
    let shown = json.shown(key)
    do throws(JSONReader.Fault) {
      guard !areFaults else {
        throw json.unexpected("unknown field \"\(shown)\"" + NearestName.hint(shown, among: names), at: place)
      }
      try json.skipValue()
      passedOver += 1
    } catch { throw error.below(".\(shown)") }
  }
}
