internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitServer
internal import GodwitText
internal import GodwitTracks

/// The files of the arguments of a command. A folder is replaced by the files in it.
struct ImportedFiles {
  struct File: Sendable {
    let path: String
    /// Whether the file was found in a folder, which may also contain files of other kinds.
    let isFound: Bool
  }
  private(set) var files: [File] = []

  init(_ words: [String]) throws {
    for word in words {
      var isFolder: ObjCBool = false
      guard word != "-", FileManager.default.fileExists(atPath: word, isDirectory: &isFolder), isFolder.boolValue else {
        files.append(File(path: word, isFound: false))
        continue
      }
      guard let inside = FileManager.default.enumerator(atPath: word) else { throw Failure("\(word): it cannot be read.") }
      var names: [String] = []
      while let name = inside.nextObject() as? String {
        let isHidden = name.split(separator: "/").contains { $0.hasPrefix(".") }
        if !isHidden, inside.fileAttributes?[.type] as? FileAttributeType == .typeRegular { names.append(name) }
      }
      guard !names.isEmpty else { throw Failure("\(word): the folder has no files.") }
      files += names.sorted().map { File(path: word + "/" + $0, isFound: true) }
    }
  }
}

/// The file of `--report`: a JSON object for each skipped record, one per line.
final class SkipFile {
  private let handle: FileHandle

  init(_ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path) else {
      throw Failure("\(path): it cannot be written; check the folder and its owner.")
    }
    self.handle = handle
  }

  func add(_ skip: TrackSkip, of file: String) throws {
    var line: [UInt8] = Array("{\"file\":".utf8)
    JSONWriter.string(file, to: &line)
    line += Array(",\"place\":".utf8)
    JSONWriter.string(skip.place.description, to: &line)
    line += Array(",\"byte\":\(skip.place.byte),\"reason\":".utf8)
    JSONWriter.string(skip.reason, to: &line)
    try handle.write(contentsOf: line + Array("}\n".utf8))
  }
}
