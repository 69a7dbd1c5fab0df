import Foundation
import Testing

@testable import GodwitHTTP

@Suite("A static folder")
final class StaticFolderTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-static-\(UUID().uuidString)")

  init() throws {
    let files = FileManager.default
    try files.createDirectory(at: folder.appendingPathComponent("site/more"), withIntermediateDirectories: true)
    for (path, text) in [
      ("secret", "s"), ("site/index.html", "home"), ("site/more/index.html", "more"), ("site/a b.txt", "space"),
      ("site/100%25.txt", "percent"), ("site/.hidden", "h"),
    ] { try text.write(to: folder.appendingPathComponent(path), atomically: true, encoding: .utf8) }
    let (outside, inside) = (folder.appendingPathComponent("site/out"), folder.appendingPathComponent("site/in"))
    try files.createSymbolicLink(at: outside, withDestinationURL: folder.appendingPathComponent("secret"))
    try files.createSymbolicLink(at: inside, withDestinationURL: folder.appendingPathComponent("site/a b.txt"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test(
    "a decoded path is that of a file, or of a folder with an index",
    arguments: [
      ("/", "home"), ("/index.html", "home"), ("/more", "more"), ("/more/", "more"), ("/a b.txt", "space"), ("/in", "space"),
      ("/100%25.txt", "percent"),
    ])
  func found(_ path: String, _ text: String) throws {
    let site = try #require(StaticFolder(folder.appendingPathComponent("site").path))
    let file = try #require(site.file(at: path))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text && site.has(path))
  }

  @Test(
    "hidden, outside and missing files are not found",
    arguments: [
      "/.hidden", "/../secret", "/%2e%2e/secret", "/more/../../secret", "/out", "/nothing", "/more/nothing", "/a\0b",
      "//../secret",
    ])
  func missing(_ path: String) throws {
    let site = try #require(StaticFolder(folder.appendingPathComponent("site").path))
    #expect(!site.has(path))
  }

  @Test("a missing folder is rejected") func noFolder() { #expect(StaticFolder(folder.path + "/nothing") == nil) }
}
