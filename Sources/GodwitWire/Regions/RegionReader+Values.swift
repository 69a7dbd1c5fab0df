internal import GodwitModel
package import GodwitText

/// The steps that all parts of a region are read with: each leaves the path of what is wrong in it.
extension RegionReader {
  /// An object's members. - Parameters:
  ///   - names: those that are known.
  ///   - expected: what the object is, for the error where there is none.
  ///   - body: reads the value of one; told its index in `names` and whether the value is `null`, which is read already.
  @inline(__always)
  mutating func members(
    _ names: [StaticString], expected: StaticString,
    _ body: (inout RegionReader, _ index: Int, _ isNull: Bool) throws(Fault) -> Void
  ) throws(Fault) {
    guard try json.kind() == .object else { throw json.unexpected("expected \(expected)", at: json.position) }
    json.position += 1
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    var seen: UInt32 = 0
    repeat {
      _ = json.peek()
      let place = json.position
      let key = try json.key()
      guard let index = find(key, in: names) else {
        let shown = shown(key)
        do throws(Fault) {
          guard !isStrict else {
            throw json.unexpected("unknown field \"\(shown)\"" + NearestName.hint(shown, among: names), at: place)
          }
          try json.skipValue()
          passedOver += 1
        } catch { throw error.below(".\(shown)") }
        continue
      }
      do throws(Fault) {
        guard seen & 1 << UInt32(index) == 0 else { throw json.unexpected("the field stands there twice", at: place) }
        seen |= 1 << UInt32(index)
        let isNull = json.peek() == UInt8(ascii: "n")
        // `null` is read here where it may be; a member that must be something refuses it by its own reader.
        let start = json.position
        if isNull { try json.null() }
        let after = json.position
        if isNull { json.position = start }
        try body(&self, index, isNull)
        if isNull { json.position = after }
      } catch { throw error.below(".\(names[index])") }
    } while try json.hasMore(closing: UInt8(ascii: "}"))
  }

  /// An array's elements. - Parameters:
  ///   - path: of the array, below what is being read.
  ///   - body: reads one.
  @inline(__always)
  mutating func elements(
    path: StaticString = "", _ body: (inout RegionReader, _ index: Int) throws(Fault) -> Void
  ) throws(Fault) {
    guard try json.kind() == .array else { throw json.unexpected("expected an array", at: json.position, path: "\(path)") }
    json.position += 1
    guard !json.isEmpty(closing: UInt8(ascii: "]")) else { return }
    var index = 0
    repeat {
      _ = json.peek()
      do throws(Fault) { try body(&self, index) } catch { throw error.below("\(path)[\(index)]") }
      index += 1
    } while try json.hasMore(closing: UInt8(ascii: "]"))
  }

  @inline(__always)
  package func find(_ key: JSONReader.Text, in names: [StaticString]) -> Int? {
    if key.hasEscapes {
      let name = json.decoded(key)
      return names.firstIndex { $0.description == name }
    }
    for index in names.indices where json.matches(key, names[index]) { return index }
    return nil
  }

  /// The beginning of a name for an error, without what would break a line.
  func shown(_ key: JSONReader.Text) -> String {
    String(String.UnicodeScalarView(json.decoded(key).unicodeScalars.prefix(40).filter { $0.value >= 0x20 }))
  }

  /// A string by a rule.
  mutating func text(_ rule: (String) -> String?) throws(Fault) -> String {
    guard try json.kind() == .string else { throw json.unexpected("expected a string", at: json.position) }
    let start = json.position
    let text = json.decoded(try json.string())
    if let reason = rule(text) { throw json.unexpected(reason, at: start) }
    return text
  }

  /// A number by a rule, which is told how it was written.
  @inline(__always)
  mutating func number(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double {
    let first = json.peek()
    let start = json.position
    guard first == UInt8(ascii: "-") || first &- 48 <= 9 else { throw noNumber(at: start) }
    if first == UInt8(ascii: "-"), json.base[start + 1] == UInt8(ascii: "I") { throw noNumber(at: start) }
    let value = try json.number()
    if rule(value, "") != nil {
      let shown = json.verbatim(start..<min(json.position, start + 40))
      throw json.unexpected(rule(value, shown) ?? shown, at: start)
    }
    return value
  }

  private mutating func noNumber(at start: Int) -> Fault {
    switch json.base[start] {
    case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "-"):
      Fault(offset: start, isSyntax: true, reason: "expected a number; JSON has no NaN and no Infinity")
    case 0: json.syntax("expected a number")
    default: json.unexpected("expected a number", at: start)
    }
  }

  mutating func flag() throws(Fault) -> Bool {
    guard try json.kind() == .boolean else { throw json.unexpected("expected true or false", at: json.position) }
    return try json.boolean()
  }

  // MARK: Polygons

  /// Coordinates as in GeoJSON's MultiPolygon. - Parameter isClosed: whether rings must end where they began.
  mutating func polygons(isClosed: Bool) throws(Fault) -> MultiPolygon {
    var polygons: [Polygon] = []
    _ = json.peek()
    let start = json.position
    try elements { (reader, _) throws(Fault) in polygons.append(try reader.polygon(isClosed: isClosed)) }
    guard let area = MultiPolygon(polygons) else { throw json.unexpected("there is no polygon", at: start) }
    guard RegionRules.cornerCount.contains(area.cornerCount) else {
      throw json.unexpected(
        "there are \(area.cornerCount) corners; expected \(RegionRules.Member.polygons.expected)", at: start)
    }
    return area
  }

  /// Rings: the outer one, then the holes.
  mutating func polygon(isClosed: Bool) throws(Fault) -> Polygon {
    var rings: [[Coordinate]] = []
    _ = json.peek()
    let start = json.position
    try elements { (reader, _) throws(Fault) in rings.append(try reader.ring(isClosed: isClosed)) }
    guard let outer = rings.first else { throw json.unexpected("a polygon needs an outer ring", at: start) }
    do throws(PolygonFault) {
      return try Polygon(outer: outer, holes: Array(rings.dropFirst()))
    } catch {
      throw json.unexpected(
        error.description, at: offset(from: start, ring: error.ring, corner: error.corner),
        path: "[\(error.ring)][\(error.corner)]")
    }
  }

  private mutating func ring(isClosed: Bool) throws(Fault) -> [Coordinate] {
    var corners: [Coordinate] = []
    _ = json.peek()
    let start = json.position
    try elements { (reader, _) throws(Fault) in corners.append(try reader.position()) }
    if isClosed, corners.first != corners.last {
      throw json.unexpected(
        "the ring is not closed; its last position must be its first one again", at: start, path: "[\(corners.count - 1)]")
    }
    return corners
  }

  /// `[longitude, latitude]`, and beyond these an altitude, which nothing is made of.
  mutating func position() throws(Fault) -> Coordinate {
    var (longitude, latitude): (Double?, Double?)
    let start = json.position
    try elements { (reader, index) throws(Fault) in
      switch index {
      case 0: longitude = try reader.number(RegionValues.longitude)
      case 1: latitude = try reader.number(RegionValues.latitude)
      case 2: _ = try reader.number { _, _ in nil }
      default: throw reader.json.unexpected("a position has two or three numbers", at: reader.json.position)
      }
    }
    guard let longitude, let latitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw json.unexpected("expected [longitude, latitude]", at: start)
    }
    return place
  }

  /// Where a corner of a polygon stands whose rings have been read. The polygon's place where it cannot be found.
  private func offset(from start: Int, ring: Int, corner: Int) -> Int {
    var reader = json
    reader.position = start
    do throws(Fault) {
      for count in [ring, corner] {
        try reader.expect(UInt8(ascii: "["), "[")
        for _ in 0..<count {
          try reader.skipValue()
          try reader.expect(UInt8(ascii: ","), ",")
        }
        _ = reader.peek()
      }
      return reader.position
    } catch { return start }
  }
}

extension JSONReader.Fault {
  /// The same, seen from one level above.
  func below(_ part: String) -> JSONReader.Fault {
    var fault = self
    fault.path = part + path
    return fault
  }

  /// - Parameters:
  ///   - format: the language's name.
  ///   - bytes: the text; the line is counted where it has more than one.
  func formatError(_ format: String, in bytes: UnsafeBufferPointer<UInt8>) -> FormatError {
    var line: Int?
    if bytes.contains(0x0A) { line = bytes.prefix(offset).reduce(into: 1) { $0 += $1 == 0x0A ? 1 : 0 } }
    let path = path.hasPrefix(".") ? String(path.dropFirst()) : path
    return FormatError(
      format: format, place: FormatError.Place(byte: offset, line: line, path: path.isEmpty ? nil : path), reason: reason,
      isLimit: isLimit)
  }
}
