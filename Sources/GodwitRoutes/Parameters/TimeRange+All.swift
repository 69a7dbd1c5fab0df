package import GodwitHTTP

extension TimeRange {
  /// From 1900 to 2200, in milliseconds since 1970: the accepted range of times. Counting its days cannot overflow.
  package static let all: Range<Int64> = -2_208_988_800_000..<7_258_118_400_000
}
