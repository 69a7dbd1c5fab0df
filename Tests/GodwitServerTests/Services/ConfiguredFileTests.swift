import Foundation
import Testing

@testable import GodwitServer

@Suite("Configured files")
struct ConfiguredFileTests {
  private func check(_ file: ConfiguredFile) -> String {
    switch file.check() {
    case .none: "none"
    case .found: "found"
    case .gone: "gone"
    }
  }

  @Test("a file that could not be used is tried again at growing intervals, and each problem is reported once")
  func retrying() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-file-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("a.map")
    try Data("a".utf8).write(to: path)
    let file = ConfiguredFile(path: nil, folder: folder.path, suffix: ".map", preferred: "b.map")
    #expect([check(file), check(file)] == ["found", "none"])

    #expect(file.failed("no room"))
    #expect(check(file) == "found")
    #expect(!file.failed("no room"))
    #expect([check(file), check(file)] == ["none", "found"])
    #expect(file.failed("no permission"))
    #expect((0..<4).map { _ in check(file) } == ["none", "none", "none", "found"])
    #expect((0..<9).allSatisfy { _ in check(file) == "none" }, "it is in use")

    try FileManager.default.removeItem(at: path)
    #expect(check(file) == "gone")
    #expect(file.failed("no permission"), "another file")
    #expect([check(file), check(file)] == ["gone", "none"])
  }
}
