import Foundation
import Testing

@testable import AccuracyData

@Suite("Digests of sets")
struct DatasetDigestTests {
  @Test("a digest depends on names and contents, and not on the order of files")
  func digest() throws {
    let folder = try TemporaryFolder(["a.txt": "1", "b/c.txt": "2"])
    defer { withExtendedLifetime(folder) {} }
    let digest = try DatasetDigest.digest(of: ["a.txt", "b/c.txt"], in: folder.url)
    // The lines "a.txt 1 6b86…4b" and "b/c.txt 1 d473…35" through sha256sum.
    #expect(digest == "fee7d099c1ce545154bfb2a6cb2f4231a0204c59be7a00547fad7cdb57b64c38")
    #expect(try DatasetDigest.digest(of: ["b/c.txt", "a.txt"], in: folder.url) == digest)
    let changed = try TemporaryFolder(["a.txt": "1", "b/c.txt": "3"])
    defer { withExtendedLifetime(changed) {} }
    #expect(try DatasetDigest.digest(of: ["a.txt", "b/c.txt"], in: changed.url) != digest)
    #expect(throws: DatasetError.self) { try DatasetDigest.digest(of: ["d.txt"], in: folder.url) }
  }

  @Test("a warning is returned for data other than those of the figures", arguments: DatasetDigest.Dataset.allCases)
  func warning(set: DatasetDigest.Dataset) throws {
    let folder = try TemporaryFolder(["a.txt": "1"])
    defer { withExtendedLifetime(folder) {} }
    let warning = try #require(try DatasetDigest.warning(about: set, ["a.txt"], in: folder.url))
    #expect(warning.contains("the data differ from those of the figures"))
    #expect(set.digest.count == 64)
  }
}
