/// The number of a record in its journal, 1 to 2^53.
public typealias RecordNumber = BoundedInteger<RecordNumberLimits>
/// The range of a ``RecordNumber``.
public enum RecordNumberLimits: IntegerLimits {
  public static let range: ClosedRange<Int64> = 1...(1 << 53)
}

/// Milliseconds since 1970, in the years 1 to 9999.
public typealias EpochMilliseconds = BoundedInteger<EpochLimits>
/// The range of ``EpochMilliseconds``.
public enum EpochLimits: IntegerLimits {
  public static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
}

/// The id of a row in addresses and cursors, 1 to 2^53.
public typealias RowNumber = BoundedInteger<RowNumberLimits>
/// The range of a ``RowNumber``.
public enum RowNumberLimits: IntegerLimits {
  public static let range: ClosedRange<Int64> = 1...(1 << 53)
}

/// A part of a cursor, −2^53 to 2^53.
public typealias CursorNumber = BoundedInteger<CursorLimits>
/// The range of a ``CursorNumber``.
public enum CursorLimits: IntegerLimits {
  public static let range: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
}

/// A revision of a list that changes, 0 to 2^53.
public typealias RevisionNumber = BoundedInteger<RevisionLimits>
/// The range of a ``RevisionNumber``.
public enum RevisionLimits: IntegerLimits {
  public static let range: ClosedRange<Int64> = 0...(1 << 53)
}

/// A latitude or longitude in 1e-7 degrees, −180 to 180 degrees.
public typealias DegreesE7 = BoundedInteger<DegreesE7Limits>
/// The range of ``DegreesE7``.
public enum DegreesE7Limits: IntegerLimits {
  public static let range: ClosedRange<Int64> = -1_800_000_000...1_800_000_000
}

/// The maximum number of items of a page, 1 to 1,000,000.
public typealias PageSize = BoundedInteger<PageSizeLimits>
/// The range of a ``PageSize``.
public enum PageSizeLimits: IntegerLimits {
  public static let range: ClosedRange<Int64> = 1...1_000_000
}

extension BoundedInteger where Limits == PageSizeLimits {
  /// The number of items.
  public var count: Int { Int(value) }
}

extension ClosedRange where Bound == RecordNumber {
  /// The size of the range, 1 to 2^53.
  public var count: Int { Int(upperBound.value - lowerBound.value + 1) }
}
