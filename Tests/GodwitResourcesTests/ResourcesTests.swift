import Foundation
import Testing

@testable import GodwitResources

/// The folder `Sources` of this package.
private let sources = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

@Suite("Resources")
struct ResourcesTests {
  @Test(
    "every file of the embedded folders is in the executable, byte for byte",
    arguments: [
      ("server", ["GodwitServer/Web/Pages", "GodwitAPI/OpenAPI"]),
      ("tracker", ["GodwitTrackerCommands/Panel/Pages", "GodwitCLI/Demo"]),
      ("simulator", ["GodwitSimulator/Phones", "GodwitSimulator/Reports/Page"]),
    ])
  func bytes(name: String, folders: [String]) throws {
    let archives = ["server": Resources.server, "tracker": .tracker, "simulator": .simulator]
    let archive = try #require(archives[name])
    var expected: Set<String> = []
    for folder in folders {
      for file in try FileManager.default.contentsOfDirectory(atPath: sources.appendingPathComponent(folder).path) {
        let path = "\(folder)/\(file)"
        guard !file.hasSuffix(".swift") else { continue }
        expected.insert(path)
        let bytes = [UInt8](try Data(contentsOf: sources.appendingPathComponent(path)))
        #expect(!bytes.isEmpty, "\(path) is empty")
        #expect(archive[path] == bytes, "\(path) is not in Sources/CResources/\(name).S, or the build is older than the file")
        #expect(archive.files(in: folder)[file] == bytes, "\(path)")
      }
    }
    #expect(Set(archive.files.keys) == expected)
  }

  @Test("every file of the world is in the executable, byte for byte, and is used in place")
  func world() throws {
    let folder = sources.appendingPathComponent("CResources/World")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains(".") }
    #expect(Set(EmbeddedFiles.world.files.keys) == Set(names.map { "CResources/World/\($0)" }))
    for name in names {
      let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
      let embedded = EmbeddedFiles.world["CResources/World/\(name)"]
      #expect(!bytes.isEmpty && Data(embedded) == bytes, "\(name) is not in Sources/CResources/world.S, or the build is older")
      #expect(embedded.baseAddress == EmbeddedFiles.world["CResources/World/\(name)"].baseAddress)
    }
    #expect(EmbeddedFiles.world["CResources/World/none"].isEmpty)
  }

  @Test("a folder has its own files, but not those of subfolders or of folders with a longer name")
  func folders() {
    let archive = archive([("a/one", [1]), ("a/b/two", [2]), ("ab/three", [3])])
    #expect(archive.files(in: "a") == ["one": [1]])
    #expect(archive["a/b/two"] == [2])
    #expect(archive["a/four"] == [])
  }

  @Test("a damaged archive has the files before the damage", arguments: 0..<24)
  func damaged(length: Int) {
    let whole = entry("one", [1, 2]) + entry("two", [3])
    #expect(whole.count == 25)
    let files = whole.prefix(length).withUnsafeBytes { Resources($0).files }
    #expect(files == (length < 13 ? [:] : ["one": [1, 2]]))
  }

  @Test("a length beyond the end of the archive ends the reading")
  func excessive() {
    let bytes = entry("one", [1]) + [0xFF, 0xFF, 0xFF, 0xFF, 0x61]
    #expect(bytes.withUnsafeBytes { Resources($0).files } == ["one": [1]])
  }

  private func archive(_ files: [(String, [UInt8])]) -> Resources {
    files.flatMap { entry($0.0, $0.1) }.withUnsafeBytes { Resources($0) }
  }

  private func entry(_ path: String, _ bytes: [UInt8]) -> [UInt8] { part(Array(path.utf8)) + part(bytes) }

  private func part(_ bytes: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) } + bytes
  }
}
