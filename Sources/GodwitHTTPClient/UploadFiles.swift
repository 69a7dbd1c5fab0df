internal import Foundation

/// The files from which background uploads are sent. The name of a file contains an identifier of the launch, so that the files
/// and the tasks of earlier launches can be recognized.
struct UploadFiles: Sendable {
  private let folder: URL
  private let launch: String
  private let options: Data.WritingOptions

  /// - Parameters:
  ///   - folder: a folder for these files only. It is created when the first file is stored.
  ///   - launch: an identifier of this launch of the program.
  ///   - options: the options for writing the files.
  init(folder: URL, launch: String, options: Data.WritingOptions = .atomic) {
    self.folder = folder
    self.launch = launch
    self.options = options
  }

  /// Returns the folder, below another one, for a session of the system.
  static func folder(in parent: URL, session: String) -> URL {
    let name = session.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "session"
    return parent.appendingPathComponent("godwit-uploads").appendingPathComponent(name)
  }

  /// Writes the body of an upload.
  /// - Returns: the file. Its name goes into the description of the task.
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
  /// - Parameter kept: the names of the files that are still being sent.
  func removeLeftOvers(except kept: Set<String> = []) throws {
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where !isOurs(file.lastPathComponent) && !kept.contains(file.lastPathComponent) {
      try FileManager.default.removeItem(at: file)
    }
  }
}
