package import Foundation
internal import GodwitDigests
internal import GodwitText

/// A public data set with a known digest of the data that were used for the figures.
package protocol PublicDataset {
  static var dataset: DatasetDigest.Dataset { get }
  /// The names of its files, relative to the folder.
  var files: [String] { get }
  init(folder: URL) throws
}

extension GeoLife: PublicDataset { package static var dataset: DatasetDigest.Dataset { .geolife } }
extension StayDiaries: PublicDataset { package static var dataset: DatasetDigest.Dataset { .diaries } }
extension RoadTracks: PublicDataset { package static var dataset: DatasetDigest.Dataset { .roads } }
extension MobilityNet: PublicDataset { package static var dataset: DatasetDigest.Dataset { .mobilityNet } }
extension AaltoTransit: PublicDataset { package static var dataset: DatasetDigest.Dataset { .aalto } }
extension HelsinkiRails: PublicDataset { package static var dataset: DatasetDigest.Dataset { .helsinkiRails } }
extension SparseTaxi: PublicDataset { package static var dataset: DatasetDigest.Dataset { .taxis } }
extension Deliveries: PublicDataset { package static var dataset: DatasetDigest.Dataset { .deliveries } }

/// The digests of the data that were used for the figures, with which other data are detected.
package enum DatasetDigest {
  /// A data set with a known digest.
  package enum Dataset: String, Sendable, CaseIterable {
    case geolife, diaries, roads, mobilityNet, aalto, helsinkiRails, taxis, deliveries

    /// The digest of the files that the loader reads.
    var digest: String {
      switch self {
      case .geolife: "be066be98f4667e506baf05b36fd0abc4c18b2b37cec1133b28cebe85d794bf7"
      case .diaries: "204938d4b8556b2fdf5af113f8f5955b334ff78e8e4716d841a159d1ec53cea6"
      case .roads: "503e54b185f2093ca09efe5acec7411f9f8df79c51e3ad5952b325fd97fc054f"
      case .mobilityNet: "972624bd5bb79e0d2b549d6d2e242e990e0d74fc5277c9d8b76a08a502cd8cfd"
      case .aalto: "fd267ea3b2a09acf40e71fbdaa889d8fa83fdf5790818010053b87e2871100a5"
      case .helsinkiRails: "9f9d5830e6650554d3130b4e174d4cda8f10c5fcbc57258ca0b65980b02d3578"
      case .taxis: "662bfde7422d8cc9edeacb3a8c2fdff8fd5fba6574171dffd1948b17d4ce5048"
      case .deliveries: "af9bd7d0c3ee725056044cce9050b28d5d53a91a015fb217e22a1782863d8e98"
      }
    }
  }

  /// Returns the SHA-256 digest of lines with the name, size and SHA-256 digest of each file, in order of names.
  /// - Throws: ``DatasetError`` for a file that cannot be read.
  package static func digest(of files: [String], in folder: URL) throws(DatasetError) -> String {
    var lines = ""
    for name in files.sorted() {
      let path = folder.appendingPathComponent(name).path
      guard let data = FileManager.default.contents(atPath: path) else {
        throw DatasetError(path: path, reason: "it cannot be read")
      }
      lines += "\(name) \(data.count) \(Hexadecimal.text(SHA256Digest.of(Array(data))))\n"
    }
    return Hexadecimal.text(SHA256Digest.of(Array(lines.utf8)))
  }

  /// Returns a warning if the files are not those of the figures.
  package static func warning(about set: Dataset, _ files: [String], in folder: URL) throws(DatasetError) -> String? {
    let digest = try digest(of: files, in: folder)
    guard digest != set.digest else { return nil }
    return "\(folder.path): the data differ from those of the figures (their digest is \(digest) and not \(set.digest))"
  }
}
