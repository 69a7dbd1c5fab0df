internal import Foundation

/// The files that uploads in the background are sent from. Each launch of a program names its own, so that what an earlier
/// launch left over is known by its name: files, and by their descriptions the system's tasks.
struct UploadFiles: Sendable {
  private let folder: URL
  private let launch: String
  private let options: Data.WritingOptions

  /// - Parameters:
  ///   - folder: for nothing but these files; created when the first one is stored.
  ///   - launch: names this life of the program.
  ///   - options: how the files are written.
  init(folder: URL, launch: String, options: Data.WritingOptions = .atomic) {
    self.folder = folder
    self.launch = launch
    self.options = options
  }

  /// A folder below another one for a session of the system.
  static func folder(in parent: URL, session: String) -> URL {
    let name = session.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "session"
    return parent.appendingPathComponent("godwit-uploads").appendingPathComponent(name)
  }

  /// Writes the body of an upload.
  /// - Returns: the file, whose name is in the task's description.
  func store(_ body: [UInt8]) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("\(launch).\(UUID().uuidString)")
    try Data(body).write(to: file, options: options)
    return file
  }

  /// Returns whether this launch has written a file.
  func isOurs(_ name: String?) -> Bool { name?.hasPrefix(launch + ".") ?? false }

  /// Deletes a file.
  func remove(_ name: String) { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }

  /// Deletes the files of earlier launches.
  /// - Parameter kept: names of those that are still sent.
  func removeLeftOvers(except kept: Set<String> = []) throws {
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where !isOurs(file.lastPathComponent) && !kept.contains(file.lastPathComponent) {
      try FileManager.default.removeItem(at: file)
    }
  }
}
