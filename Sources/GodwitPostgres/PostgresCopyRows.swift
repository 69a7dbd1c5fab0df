/// Rows in the format of `COPY … FROM STDIN (FORMAT binary)`: call ``appendRow()``, then append a value for each column.
public struct PostgresCopyRows {
  private let columns: Int16
  private var bytes: [UInt8]
  /// Number of rows.
  public private(set) var count = 0
  /// The signature, no flags, and no header extension.
  private static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

  /// - Parameter columns: the number of columns of each row.
  public init(columns: Int16) {
    self.columns = columns
    bytes = Self.header
  }

  /// Begins a row. A value for each column must follow.
  @inline(__always)
  public mutating func appendRow() {
    count += 1
    bytes.append(network: columns)
  }

  @inline(__always)
  public mutating func appendNull() { bytes.append(network: Int32(-1)) }

  /// Appends a number of the column's width.
  @inline(__always)
  public mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    bytes.append(network: Int32(Number.bitWidth / 8))
    bytes.append(network: number)
  }

  /// Appends a number of the column's width, or NULL.
  @inline(__always)
  public mutating func append<Number: FixedWidthInteger>(_ number: Number?) {
    if let number { append(number) } else { appendNull() }
  }

  /// Appends a text, or NULL.
  public mutating func append(_ text: String?) {
    guard let text else { return appendNull() }
    let at = bytes.count
    bytes.append(network: Int32(0))
    PostgresText.append(text, to: &bytes)
    bytes.put(network: Int32(bytes.count - at - 4), at: at)
  }

  /// Returns the data for ``PostgresSession/copy(_:_:)``.
  public consuming func finished() -> [UInt8] {
    bytes.append(network: Int16(-1))
    return bytes
  }
}
