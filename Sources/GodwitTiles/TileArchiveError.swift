/// An error: a file cannot be served as an archive of tiles, or a part of it cannot be read.
package enum TileArchiveError: Error, Hashable, Sendable {
  /// The file cannot be opened or read; with the system's message.
  case unreadable(String)
  /// The file does not begin like PMTiles.
  case notAnArchive
  /// A version of PMTiles other than 3.
  case version(Int)
  /// The file ends before a part that its header or a directory refers to.
  case ended
  /// A part exceeds ``TileArchive/Limits``.
  case tooLarge(String)
  /// A part violates the format.
  case damaged(String)
  /// A compression that is not supported.
  case compression(Int)
  /// Tiles of a kind that the pages cannot draw.
  case kind(Int)
}

extension TileArchiveError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let reason): "the file cannot be read: \(reason)"
    case .notAnArchive: "the file is not PMTiles: it does not begin with \"PMTiles\""
    case .version(let version): "the file is PMTiles version \(version); convert it to version 3 with `pmtiles convert`"
    case .ended: "the file ends before a part that its directory names; the download may be incomplete"
    case .tooLarge(let part): "\(part) is larger than the format allows"
    case .damaged(let reason): "the file is damaged: \(reason)"
    case .compression(3): "the file is compressed with Brotli; supported are gzip, Zstandard and none"
    case .compression(let number): "the file has the unknown compression \(number); supported are gzip, Zstandard and none"
    case .kind(let number):
      "the file has tiles of the unknown kind \(number); supported are vector tiles, PNG, JPEG, WebP and AVIF"
    }
  }
}
