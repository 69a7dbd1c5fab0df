internal import Foundation

/// A file that an option names, or that is in the data folder: the first with a suffix by its name, a preferred name before others.
struct ConfiguredFile: Sendable {
  /// Tells one state of a file from another.
  struct Stamp: Hashable, Sendable {
    var path: String
    var size: UInt64
    var modified: Date
    var number: UInt64
  }

  /// `nil`: it is searched.
  let path: String?
  let folder: String
  /// With its point.
  let suffix: String
  let preferred: String

  /// The file as it is now; `nil`: there is none.
  var stamp: Stamp? { (path ?? found).flatMap { Self.stamp($0) } }

  private var found: String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.sorted()
    return (files.first { $0 == preferred } ?? files.first).map { folder + "/" + $0 }
  }

  private static func stamp(_ path: String) -> Stamp? {
    guard let file = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    else { return nil }
    return Stamp(
      path: path, size: file[.size] as? UInt64 ?? 0, modified: file[.modificationDate] as? Date ?? .distantPast,
      number: file[.systemFileNumber] as? UInt64 ?? 0)
  }
}
