internal import CPostgres

/// The result of a statement, with a current row.
///
/// Columns are read by name. Measured hot paths read them by position, from 0.
public final class PostgresRows {
  private let result: OpaquePointer
  private let types: [PostgresType]
  private let rowCount: Int32
  private let address: String
  private let sql: String
  /// The names of the columns; "" for a name that several columns have. Empty until the first read by name.
  private var names: [String] = []
  private var row: Int32 = -1

  /// - Parameters:
  ///   - result: a result in binary format. This object owns it from now on.
  ///   - address: the address for an error.
  ///   - sql: the statement for an error.
  /// - Throws: ``PostgresError`` if a column has a type that cannot be read.
  init(_ result: OpaquePointer, address: String, sql: String) throws(PostgresError) {
    self.result = result
    self.address = address
    self.sql = sql
    rowCount = PQntuples(result)
    types = (0..<PQnfields(result)).map { PostgresType(rawValue: PQftype(result, $0)) }
    for (column, type) in types.enumerated() where !Self.readable.contains(type) {
      let name = PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
      throw PostgresError(
        kind: .statement,
        message: "column \(column) (\(name)) has a type that is not supported (\(type.rawValue)); cast it to text or a number",
        sql: sql, address: address)
    }
  }

  deinit { PQclear(result) }

  private static let readable: Set<PostgresType> = [
    .bool, .bytea, .name, .int8, .int2, .int4, .text, .json, .float4, .float8, .unknown, .bpchar, .varchar, .numeric, .void,
  ]

  /// Number of rows in the result.
  public var count: Int { Int(rowCount) }
  /// Number of rows that the statement inserted, changed or deleted.
  public var changes: Int {
    // For a query, the server reports the number of returned rows.
    guard let status = PQcmdStatus(result), !String(cString: status).hasPrefix("SELECT") else { return 0 }
    return PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// Moves to the next row. - Returns: `false` if there is no further row.
  @inline(__always)
  public func next() -> Bool {
    row += 1
    return row < rowCount
  }

  // MARK: Columns by name

  /// Returns the position of a column, from 0. The column names of the result are resolved once.
  /// - Parameter name: the name of the column, or its `AS`, in lower case. An expression has a name only with `AS`.
  /// - Throws: ``PostgresError`` with the statement if no column or several columns have this name, which is a programming error.
  public func position(of name: String) throws(PostgresError) -> Int32 {
    if names.isEmpty {
      let all = columnNames
      names = all.map { name in all.count { $0 == name } == 1 ? name : "" }
    }
    guard !name.isEmpty, let position = names.firstIndex(of: name) else {
      throw PostgresError(
        kind: .statement,
        message: "the statement must have one column \"\(name)\"; it has: \(columnNames.joined(separator: ", "))",
        sql: sql, address: address)
    }
    return Int32(position)
  }

  private var columnNames: [String] {
    (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
  }

  /// NULL reads as "".
  public func text(_ name: String) throws(PostgresError) -> String { text(try position(of: name)) }

  // MARK: Columns by position

  @inline(__always) public func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

  /// NULL reads as 0. A fraction is truncated. A text that is not an integer reads as 0.
  @inline(__always)
  public func integer(_ column: Int32) -> Int64 {
    switch types[Int(column)] {
    case .int8: isNull(column) ? 0 : number(column, Int64.self)
    case .int4: isNull(column) ? 0 : Int64(number(column, Int32.self))
    case .int2: isNull(column) ? 0 : Int64(number(column, Int16.self))
    case .bool: isNull(column) ? 0 : Int64(number(column, Int8.self))
    case .numeric: numeric(column).integer
    case .float4, .float8: Int64(exactly: double(column).rounded(.towardZero)) ?? 0
    default: Int64(text(column)) ?? 0
    }
  }

  /// NULL reads as 0.
  @inline(__always)
  public func double(_ column: Int32) -> Double {
    switch types[Int(column)] {
    case .float8: isNull(column) ? 0 : Double(bitPattern: number(column, UInt64.self))
    case .float4: isNull(column) ? 0 : Double(Float(bitPattern: number(column, UInt32.self)))
    case .numeric: numeric(column).double
    case .int8, .int4, .int2, .bool: Double(integer(column))
    default: Double(text(column)) ?? 0
    }
  }

  /// NULL reads as "".
  public func text(_ column: Int32) -> String {
    if isNull(column) { return "" }
    switch types[Int(column)] {
    case .int8, .int4, .int2, .bool: return String(integer(column))
    case .float4, .float8, .numeric: return String(double(column))
    default: return PostgresText.string(bytes(column))
    }
  }

  /// NULL reads as no bytes.
  public func blob(_ column: Int32) -> [UInt8] { isNull(column) ? [] : [UInt8](bytes(column)) }

  @inline(__always)
  private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }

  /// Reads a number in network byte order. The column must have the width of the type.
  @inline(__always)
  private func number<Number: FixedWidthInteger>(_ column: Int32, _: Number.Type) -> Number {
    Number(bigEndian: bytes(column).loadUnaligned(as: Number.self))
  }

  private func numeric(_ column: Int32) -> PostgresNumeric { PostgresNumeric(isNull(column) ? nil : bytes(column)) }
}

/// A number of type `numeric`, which sums of large numbers have, converted to the types of Swift.
private struct PostgresNumeric {
  /// The number truncated towards zero, and clamped to the range of `Int64`.
  private(set) var integer: Int64 = 0
  private(set) var double = 0.0

  init(_ bytes: UnsafeRawBufferPointer?) {
    guard let bytes, bytes.count >= 8 else { return }
    func word(_ index: Int) -> Int16 { Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)) }
    let digits = min(Int(word(0)), bytes.count / 2 - 4)
    // The first digit is multiplied by 10,000 to the power of the weight.
    let weight = Int(word(1))
    let sign = UInt16(bitPattern: word(2))
    if sign == 0xC000 { double = .nan }
    if sign == 0xD000 || sign == 0xF000 { double = sign == 0xD000 ? .infinity : -.infinity }
    guard sign == 0 || sign == 0x4000 else { return }
    var text = "0"
    for place in 0..<max(digits, weight + 1, 0) {
      let digit = place < digits ? Int64(word(4 + place)) : 0
      if place <= weight {
        // The sum is negative, because the range has one more negative number.
        let (product, overflows) = integer.multipliedReportingOverflow(by: 10_000)
        let (sum, alsoOverflows) = product.subtractingReportingOverflow(digit)
        integer = overflows || alsoOverflows ? .min : sum
      }
      let four = String(digit)
      text += String(repeating: "0", count: max(0, 4 - four.count)) + four
    }
    // Parsed from text, so that the nearest double is found.
    double = Double(text + "e\(4 * (weight + 1 - max(digits, weight + 1, 0)))") ?? 0
    if sign == 0x4000 {
      double = -double
    } else {
      integer = integer == .min ? .max : -integer
    }
  }
}
