/// Rows as `COPY … FROM STDIN (FORMAT binary)` takes them: ``appendRow()``, then a value for each column.
public struct PostgresCopyRows {
  private let columns: Int16
  private var bytes: [UInt8]
  /// Rows so far.
  public private(set) var count = 0
  /// The signature, no flags, no further header.
  private static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

  /// - Parameter columns: of each row.
  public init(columns: Int16) {
    self.columns = columns
    bytes = Self.header
  }

  /// Begins a row; as many values as columns follow.
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

  /// What ``PostgresSession/copy(_:_:)`` sends.
  public consuming func finished() -> [UInt8] {
    bytes.append(network: Int16(-1))
    return bytes
  }
}
