internal import Foundation

/// The Swift sources of an app below a folder.
package struct PortingFolder: Sendable {
  /// An error: the folder cannot be read, or the copy cannot be written.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let folder: URL
  /// The paths of the sources, relative to the folder and sorted. Hidden folders and folders of package managers are skipped.
  package let files: [String]

  private static let skipped: Set<String> = ["Pods", "Carthage", "DerivedData", "build"]
  /// Maximum bytes of a source. Larger files are generated, such as a compiler's list of constants.
  private static let largestFile = 4 << 20

  /// - Throws: ``Failure`` if the folder does not exist or cannot be read.
  package init(_ path: String) throws(Failure) {
    folder = URL(fileURLWithPath: path, isDirectory: true)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Failure(description: "\(path) is not a folder; give the folder with the sources of the app.")
    }
    guard let all = FileManager.default.enumerator(atPath: path) else {
      throw Failure(description: "\(path) cannot be read; check its owner and permissions.")
    }
    var found: [String] = []
    while let name = all.nextObject() as? String {
      let last = name.split(separator: "/").last.map(String.init) ?? name
      if last.hasPrefix(".") || Self.skipped.contains(last) {
        all.skipDescendants()
      } else if last.hasSuffix(".swift") {
        found.append(name)
      }
    }
    files = found.sorted()
  }

  /// Returns one source; `nil`: the file cannot be read, or is too large to be written by hand.
  package func source(_ file: String) -> PortingSource? {
    let path = folder.appendingPathComponent(file)
    guard let size = (try? FileManager.default.attributesOfItem(atPath: path.path))?[.size] as? Int, size <= Self.largestFile,
      let data = try? Data(contentsOf: path)
    else { return nil }
    return PortingSource(file, Array(data))
  }

  /// The differences in all files, by file and position.
  package var differences: [PortingDifference] { files.flatMap { source($0)?.differences ?? [] } }

  /// Copies the folder and applies the changes that require no knowledge of the app.
  /// - Parameter path: the copy, which must not exist yet and must not be inside the folder.
  /// - Throws: ``Failure`` if the copy exists already or cannot be written.
  /// - Returns: the number of changed files.
  package func copyRepaired(to path: String) throws(Failure) -> Int {
    let copy = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
    let original = folder.standardizedFileURL.path
    guard !FileManager.default.fileExists(atPath: copy.path) else {
      throw Failure(description: "\(path) exists; give the name of a new folder. The original is never changed.")
    }
    guard copy.path != original, !copy.path.hasPrefix(original.hasSuffix("/") ? original : original + "/") else {
      throw Failure(description: "\(path) is inside the folder that is copied; give a name outside of it.")
    }
    do {
      try FileManager.default.copyItem(at: folder, to: copy)
      var changed = 0
      for file in files {
        guard let source = source(file) else { continue }
        let (repaired, target) = (source.repaired, copy.appendingPathComponent(file))
        guard repaired != Array(try Data(contentsOf: target)) else { continue }
        try Data(repaired).write(to: target)
        changed += 1
      }
      return changed
    } catch {
      throw Failure(description: "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}
