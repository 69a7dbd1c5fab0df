internal import Foundation
internal import Synchronization

/// A file that an option names or that is in the data folder: the file with the preferred name, else the first with the suffix in the order
/// of names. The server checks for it periodically.
final class ConfiguredFile: Sendable {
  /// Distinguishes states of a file.
  struct Stamp: Hashable, Sendable {
    var path: String
    var size: UInt64
    var modified: Date
    var number: UInt64
  }

  /// The path from the option; `nil`: the file is searched for in ``folder``.
  let path: String?
  let folder: String
  /// The suffix of the file's name, with its dot.
  private let suffix: String
  private let preferred: String
  private let last = Mutex<Stamp?>(nil)

  /// The result of a check.
  enum Change {
    case none
    /// A new file, or a different one than at the last check.
    case found(Stamp)
    case gone
  }

  init(path: String?, folder: String, suffix: String, preferred: String) {
    (self.path, self.folder, self.suffix, self.preferred) = (path, folder, suffix, preferred)
  }

  /// Whether there was a file at the last check.
  var wasFound: Bool { last.withLock { $0 != nil } }

  /// Checks for the file.
  /// - Returns: the change since the last check.
  func check() -> Change {
    let stamp = (path ?? found).flatMap { Self.stamp($0) }
    return last.withLock { last in
      defer { last = stamp }
      guard stamp != last else { return .none }
      return stamp.map { .found($0) } ?? .gone
    }
  }

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
