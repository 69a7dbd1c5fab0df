package import GodwitHTTP

extension TimeRange {
  /// The accepted range of times: from 1900 to 2200, in milliseconds since 1970. Numbers of days in this range cannot overflow.
  package static let all: Range<Int64> = -2_208_988_800_000..<7_258_118_400_000
}
