internal import GodwitText

/// Iterates over the members of an object. Duplicate members are faults.
///
///     var members = try MemberCursor<Member>(of: &json, expected: "a window")
///     do throws(Fault) {
///       while let member = try members.next(in: &json, &unknown) { … }
///     } catch { throw members.located(error) }
struct MemberCursor<Member: KnownMember> {
  typealias Fault = JSONReader.Fault

  /// A bit for each member that was read.
  private var seen: UInt32 = 0
  private var isFirst = true
  /// The member whose value is next.
  private var current: Member?
  /// The offset of the end of the next value if the value is `null`.
  private var endOfNull: Int?

  /// Reads the opening brace.
  /// - Parameters:
  ///   - json: the reader, before the object.
  ///   - expected: a description of the object for the fault if the value is not an object.
  @inline(__always)
  init(of json: inout JSONReader, expected: StaticString) throws(Fault) {
    guard try json.kind() == .object else { throw json.unexpected("expected \(expected)", at: json.position) }
    json.position += 1
  }

  /// Whether the next value is `null`. The caller may leave it unread. The reader of a required member rejects `null`.
  var isNull: Bool { endOfNull != nil }

  /// Reads the next member name; `nil` after the last member. The reader is then before the value.
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

  /// Returns the fault with the current member in its path.
  func located(_ fault: Fault) -> Fault { current.map { fault.below(".\($0.name)") } ?? fault }
}

/// Handles unknown members: they are faults, or they are skipped and counted.
struct UnknownMembers {
  /// Whether unknown members are faults. Texts of newer versions may contain unknown members that are valid.
  let areFaults: Bool
  /// The number of skipped members.
  private(set) var passedOver = 0

  init(areFaults: Bool) { self.areFaults = areFaults }

  /// Skips the value of an unknown member.
  /// - Parameters:
  ///   - key: the name of the member.
  ///   - place: the offset of the name.
  ///   - json: the reader, before the value.
  ///   - names: the known names, for a suggestion in the fault.
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
