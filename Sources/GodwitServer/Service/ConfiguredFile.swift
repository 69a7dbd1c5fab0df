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
  private let state = Mutex(State())

  private struct State {
    /// The file at the last check; `nil`: there was none.
    var stamp: Stamp?
    var hasFailed = false
    /// The last reason for a failure.
    var problem: String?
    /// Checks until the change is returned again after a failure.
    var wait = 0
    /// The number of these checks after the next failure.
    var nextWait = 1
  }

  /// Maximum checks between two attempts to use a file: an hour, for checks every five seconds.
  private static let maximumWait = 720

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
  var wasFound: Bool { state.withLock { $0.stamp != nil } }

  /// Checks for the file.
  /// - Returns: the change since the last check. After ``failed(_:)`` it is returned again, at growing intervals.
  func check() -> Change {
    let stamp = (path ?? found).flatMap { Self.stamp($0) }
    return state.withLock { state in
      if stamp == state.stamp {
        guard state.hasFailed else { return .none }
        state.wait -= 1
        guard state.wait <= 0 else { return .none }
        state.hasFailed = false
      } else {
        state = State(stamp: stamp)
      }
      return stamp.map { .found($0) } ?? .gone
    }
  }

  /// Records that the change of the last check could not be applied. The cause may be temporary, such as a full disk.
  /// - Returns: whether the problem is another one than at the last failure with this file.
  func failed(_ problem: String) -> Bool {
    state.withLock { state in
      let isNew = state.problem != problem
      (state.hasFailed, state.problem, state.wait) = (true, problem, state.nextWait)
      state.nextWait = min(2 * state.nextWait, Self.maximumWait)
      return isNew
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
