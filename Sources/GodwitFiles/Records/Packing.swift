internal import GodwitTracks

/// What a file lies in: nothing, or archives inside one another, and how much may be unpacked of them together.
struct Packing {
  /// Bytes that came in and bytes that were unpacked, at all levels of an archive together.
  final class Budget {
    var compressed = 0
    private(set) var unpacked = 0

    /// Deflate makes at most 1,032 bytes of one; twice that for an archive in an archive. The first 64 MiB are free.
    private static let largestRatio = 2064
    private static let free = 64 << 20

    /// Counts unpacked bytes. - Returns: whether they are not too many.
    func spend(_ count: Int) -> Bool {
      unpacked += count
      return unpacked <= Self.free || (unpacked - Self.free) / Self.largestRatio <= compressed
    }
  }

  /// The archives, the outermost first.
  private(set) var formats: [RecordFormat] = []
  let budget: Budget
  /// What the file does not say about itself.
  let options: RecordOptions

  init(_ options: RecordOptions) {
    budget = Budget()
    self.options = options
  }

  var isOutermost: Bool { formats.isEmpty }

  /// The same of a file inside.
  func inside(_ format: RecordFormat) -> Packing {
    var inner = self
    inner.formats.append(format)
    return inner
  }

  /// Why an archive is not read here; `nil`: it is. Strava packs each file of its zip with gzip; Garmin has zips in a zip.
  func rejection(of format: RecordFormat) -> String? {
    guard format == .zip || format == .gzip, !formats.isEmpty else { return nil }
    if formats.contains(.gzip) { return "it is an archive inside a gzip file; unpack it first" }
    if format == .zip, formats.count > 1 { return "archives are nested three deep; unpack the outer one first" }
    return nil
  }

  /// The reason where more would be unpacked than the budget has.
  static let tooLarge = "the decompressed size is implausible for a file of records"
}
