/// A parameter of a statement.
public enum PostgresValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// The bytes of a value in PostgreSQL's binary format, as ``PostgresArray`` writes them.
  case binary(PostgresType, [UInt8])

  /// The type with which the value is sent; `nil` for NULL, which has no type.
  var type: PostgresType? {
    switch self {
    case .null: nil
    case .integer: .int8
    case .real: .float8
    case .text: .text
    case .blob: .bytea
    case .binary(let type, _): type
    }
  }

  /// Appends the value in PostgreSQL's binary format, in network byte order.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: break
    case .integer(let value): bytes.append(network: value)
    case .real(let value): bytes.append(network: Int64(bitPattern: value.bitPattern))
    case .text(let value): PostgresText.append(value, to: &bytes)
    case .blob(let value), .binary(_, let value): bytes += value
    }
  }
}

/// A type, by its number in `pg_type`, which is the same on every server.
public struct PostgresType: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let bool = PostgresType(rawValue: 16)
  public static let bytea = PostgresType(rawValue: 17)
  public static let name = PostgresType(rawValue: 19)
  public static let int8 = PostgresType(rawValue: 20)
  public static let int2 = PostgresType(rawValue: 21)
  public static let int4 = PostgresType(rawValue: 23)
  public static let text = PostgresType(rawValue: 25)
  public static let json = PostgresType(rawValue: 114)
  public static let float4 = PostgresType(rawValue: 700)
  public static let float8 = PostgresType(rawValue: 701)
  public static let unknown = PostgresType(rawValue: 705)
  public static let bpchar = PostgresType(rawValue: 1042)
  public static let varchar = PostgresType(rawValue: 1043)
  public static let numeric = PostgresType(rawValue: 1700)
  public static let void = PostgresType(rawValue: 2278)

  /// The type of an array of this type; `nil` if ``PostgresArray`` does not support it.
  var array: PostgresType? {
    switch self {
    case .bytea: PostgresType(rawValue: 1001)
    case .int2: PostgresType(rawValue: 1005)
    case .int4: PostgresType(rawValue: 1007)
    case .text: PostgresType(rawValue: 1009)
    case .int8: PostgresType(rawValue: 1016)
    case .float8: PostgresType(rawValue: 1022)
    default: nil
    }
  }
}

/// Writes a one-dimensional array in PostgreSQL's binary format, which passes many rows as one parameter for `unnest`.
public struct PostgresArray {
  private let element: PostgresType
  private var bytes: [UInt8]
  private var count: Int32 = 0
  private static let headerSize = 20

  /// - Parameters:
  ///   - element: `bytea`, `int2`, `int4`, `int8`, `float8` or `text`.
  ///   - capacity: the expected number of bytes of the values.
  public init(of element: PostgresType, capacity: Int = 0) {
    self.element = element
    bytes = []
    bytes.reserveCapacity(Self.headerSize + capacity)
    bytes.append(contentsOf: repeatElement(0, count: Self.headerSize))
  }

  public mutating func appendNull() {
    count += 1
    bytes.append(network: Int32(-1))
  }

  /// Appends a number of the element's width.
  @inline(__always)
  public mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    count += 1
    bytes.append(network: Int32(Number.bitWidth / 8))
    bytes.append(network: number)
  }

  @inline(__always)
  public mutating func append<Number: FixedWidthInteger>(_ number: Number?) {
    if let number { append(number) } else { appendNull() }
  }

  public mutating func append(_ text: String?) {
    guard let text else { return appendNull() }
    count += 1
    let at = bytes.count
    bytes.append(network: Int32(0))
    PostgresText.append(text, to: &bytes)
    bytes.put(network: Int32(bytes.count - at - 4), at: at)
  }

  public mutating func append(_ blob: [UInt8]) {
    count += 1
    bytes.append(network: Int32(blob.count))
    bytes += blob
  }

  /// Returns the parameter.
  public consuming func value() -> PostgresValue {
    // Number of dimensions, flag for NULLs, element type, length, and lower bound.
    let header = [count == 0 ? 0 : 1, 1, Int32(bitPattern: element.rawValue), count, 1]
    for (index, part) in header.enumerated() { bytes.put(network: part, at: index * 4) }
    if count == 0 { bytes.removeLast(bytes.count - 12) }
    return .binary(element.array ?? element, bytes)
  }
}

extension [UInt8] {
  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(network number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  mutating func put<Number: FixedWidthInteger>(network number: Number, at offset: Int) {
    Swift.withUnsafeBytes(of: number.bigEndian) { for (index, byte) in $0.enumerated() { self[offset + index] = byte } }
  }
}
