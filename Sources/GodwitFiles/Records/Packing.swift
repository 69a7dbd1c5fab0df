internal import GodwitTracks

/// The archives that contain a file, and the limit for the decompressed size of all of them together.
struct Packing {
  /// The number of compressed bytes and of decompressed bytes at all levels of an archive together.
  final class Budget {
    var compressed = 0
    private(set) var unpacked = 0

    /// The ratio of deflate is at most 1,032; twice this value allows for an archive in an archive. The first 64 MiB are
    /// not limited.
    private static let largestRatio = 2064
    private static let free = 64 << 20

    /// Counts decompressed bytes. - Returns: `false` if there are too many.
    func spend(_ count: Int) -> Bool {
      unpacked += count
      return unpacked <= Self.free || (unpacked - Self.free) / Self.largestRatio <= compressed
    }
  }

  /// The formats of the archives, the outermost first.
  private(set) var formats: [RecordFormat] = []
  let budget: Budget
  /// The options that the file does not contain.
  let options: RecordOptions

  init(_ options: RecordOptions) {
    budget = Budget()
    self.options = options
  }

  var isOutermost: Bool { formats.isEmpty }

  /// Returns the packing of a file inside an archive.
  func inside(_ format: RecordFormat) -> Packing {
    var inner = self
    inner.formats.append(format)
    return inner
  }

  /// Returns the reason for which an archive is not read at this level; `nil` if it is read. Strava compresses each file of
  /// its zip with gzip; Garmin exports zip archives in a zip archive.
  func rejection(of format: RecordFormat) -> String? {
    guard format == .zip || format == .gzip, !formats.isEmpty else { return nil }
    if formats.contains(.gzip) { return "it is an archive inside a gzip file; unpack it first" }
    if format == .zip, formats.count > 1 { return "archives are nested three deep; unpack the outer one first" }
    return nil
  }

  /// The reason if the budget is exceeded.
  static let tooLarge = "the decompressed size is implausible for a file of records"
}
