/// A vector tile, decoded by a strict decoder that is independent of the tested code.
public struct DecodedTile {
  public struct Layer {
    public var name = ""
    public var version: UInt64 = 1
    public var extent: UInt64 = 4096
    public var features: [Feature] = []
  }

  public enum Kind: UInt64 {
    case points = 1
    case lines = 2
    case polygons = 3
  }

  public struct Point: Hashable {
    public var x: Int
    public var y: Int
    public init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
  }

  public struct Feature {
    public var kind: Kind
    /// The properties, with numbers and flags as texts.
    public var properties: [String: String] = [:]
    /// The points of a multipoint, the lines, or the rings without their closing points.
    public var parts: [[Point]] = []
    public init(kind: Kind) { self.kind = kind }
  }

  public struct Fault: Error, CustomStringConvertible {
    public var description: String
    init(_ text: String) { description = text }
  }

  public var layers: [Layer] = []

  public init(_ bytes: [UInt8]) throws {
    for (field, value) in try Self.fields(bytes[...]) {
      guard field == 3, case .bytes(let layer) = value else { throw Fault("field \(field) in a tile") }
      layers.append(try Self.layer(layer))
    }
    guard Set(layers.map(\.name)).count == layers.count else { throw Fault("two layers with the same name") }
  }

  /// The features of a layer; empty if the tile has no layer of this name.
  public subscript(name: String) -> [Feature] { layers.first { $0.name == name }?.features ?? [] }

  // MARK: Protocol Buffers

  private enum Value {
    case integer(UInt64)
    case fixed(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private static func integer(_ bytes: inout ArraySlice<UInt8>) throws -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while let byte = bytes.popFirst(), shift < 64 {
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    throw Fault("an integer is truncated")
  }

  private static func fields(_ message: ArraySlice<UInt8>) throws -> [(UInt64, Value)] {
    var (rest, fields): (ArraySlice<UInt8>, [(UInt64, Value)]) = (message, [])
    while !rest.isEmpty {
      let key = try integer(&rest)
      switch key & 7 {
      case 0: fields.append((key >> 3, .integer(try integer(&rest))))
      case 1:
        guard rest.count >= 8 else { throw Fault("a number is truncated") }
        fields.append((key >> 3, .fixed(rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })))
        rest = rest.dropFirst(8)
      case 2:
        let length = Int(try integer(&rest))
        guard rest.count >= length else { throw Fault("a field is truncated") }
        fields.append((key >> 3, .bytes(rest.prefix(length))))
        rest = rest.dropFirst(length)
      default: throw Fault("wire type \(key & 7)")
      }
    }
    return fields
  }

  private static func integers(_ encoded: ArraySlice<UInt8>) throws -> [UInt64] {
    var (rest, integers): (ArraySlice<UInt8>, [UInt64]) = (encoded, [])
    while !rest.isEmpty { integers.append(try integer(&rest)) }
    return integers
  }

  private static func signed(_ value: UInt64) -> Int { Int(bitPattern: UInt(value >> 1)) ^ -Int(value & 1) }

  // MARK: Layers

  private static func layer(_ message: ArraySlice<UInt8>) throws -> Layer {
    var layer = Layer()
    var (keys, values, features): ([String], [String], [ArraySlice<UInt8>]) = ([], [], [])
    for (field, value) in try fields(message) {
      switch (field, value) {
      case (15, .integer(let version)): layer.version = version
      case (1, .bytes(let name)): layer.name = String(decoding: name, as: UTF8.self)
      case (2, .bytes(let feature)): features.append(feature)
      case (3, .bytes(let key)): keys.append(String(decoding: key, as: UTF8.self))
      case (4, .bytes(let value)): values.append(try text(value))
      case (5, .integer(let extent)): layer.extent = extent
      default: throw Fault("field \(field) in a layer")
      }
    }
    guard !features.isEmpty, Set(keys).count == keys.count else { throw Fault("an empty layer, or a duplicate key") }
    layer.features = try features.map { try feature($0, keys, values) }
    return layer
  }

  private static func text(_ message: ArraySlice<UInt8>) throws -> String {
    let fields = try fields(message)
    guard fields.count == 1 else { throw Fault("\(fields.count) values in a value") }
    switch fields[0] {
    case (1, .bytes(let text)): return String(decoding: text, as: UTF8.self)
    case (3, .fixed(let bits)): return "\(Double(bitPattern: bits))"
    case (5, .integer(let number)): return "\(number)"
    case (6, .integer(let number)): return "\(signed(number))"
    case (7, .integer(let flag)): return "\(flag == 1)"
    default: throw Fault("a value of field \(fields[0].0)")
    }
  }

  private static func feature(_ message: ArraySlice<UInt8>, _ keys: [String], _ values: [String]) throws -> Feature {
    var (kind, tags, commands): (Kind?, [UInt64], [UInt64]) = (nil, [], [])
    for (field, value) in try fields(message) {
      switch (field, value) {
      case (2, .bytes(let encoded)): tags = try integers(encoded)
      case (3, .integer(let number)): kind = Kind(rawValue: number)
      case (4, .bytes(let encoded)): commands = try integers(encoded)
      default: throw Fault("field \(field) in a feature")
      }
    }
    guard let kind, tags.count.isMultiple(of: 2) else { throw Fault("a feature without a kind, or an incomplete tag") }
    var feature = Feature(kind: kind)
    for index in stride(from: 0, to: tags.count, by: 2) {
      guard tags[index] < keys.count, tags[index + 1] < values.count else { throw Fault("a tag with an invalid index") }
      feature.properties[keys[Int(tags[index])]] = values[Int(tags[index + 1])]
    }
    feature.parts = try parts(commands, kind)
    return feature
  }

  private static func parts(_ commands: [UInt64], _ kind: Kind) throws -> [[Point]] {
    var (parts, cursor, rest): ([[Point]], Point, ArraySlice<UInt64>) = ([], Point(x: 0, y: 0), commands[...])
    func step() throws {
      guard let x = rest.popFirst(), let y = rest.popFirst() else { throw Fault("a step is truncated") }
      if x == 0, y == 0, kind != .points, !parts.isEmpty, parts[parts.count - 1].last == cursor, !isMoving {
        throw Fault("a step of no length")
      }
      cursor = Point(x: cursor.x + signed(x), y: cursor.y + signed(y))
    }
    var isMoving = false
    while let command = rest.popFirst() {
      let count = Int(command >> 3)
      switch command & 7 {
      case 1:
        guard count == 1 || kind == .points && parts.isEmpty else { throw Fault("\(count) moves") }
        isMoving = true
        if kind == .points || count == 1 { parts.append([]) }
        for _ in 0..<count {
          try step()
          parts[parts.count - 1].append(cursor)
        }
      case 2:
        guard kind != .points, parts.last?.count == 1, count > 0 else { throw Fault("a line without a start") }
        isMoving = false
        for _ in 0..<count {
          try step()
          parts[parts.count - 1].append(cursor)
        }
      case 7:
        guard kind == .polygons, count == 1, parts.last?.count ?? 0 > 2 else {
          throw Fault("the end of a ring that does not exist")
        }
      default: throw Fault("command \(command & 7)")
      }
    }
    guard !parts.isEmpty, kind == .points || parts.allSatisfy({ $0.count > 1 }) else { throw Fault("an empty geometry") }
    return parts
  }
}
