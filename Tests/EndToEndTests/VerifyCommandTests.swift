import Foundation
import TestParts
import Testing

/// `godwit verify`, with the real executable.
@Suite("godwit verify")
struct VerifyCommandTests {
  @Test("advises a repair of damaged files, and not of files that it could not read")
  func advice() throws {
    let folder = try TemporaryFolder()
    let store = folder.path("godwit.sqlite")
    #expect(try Executable.run(["device", "add", "phone", "--data", folder.path("")]).status == 0)

    let intact = try Executable.run(["verify", store])
    #expect(intact.status == 0 && intact.text.contains("each page matches its checksum"), "\(intact.errorOutput)")

    let missing = try Executable.run(["verify", store, folder.path("missing.sqlite")])
    #expect(
      missing.status == 1 && missing.errorOutput.contains("missing.sqlite: there is no such file"), "\(missing.errorOutput)")
    #expect(missing.text.contains("each page matches its checksum"), "The other file is checked: \(missing.text)")
    #expect(!missing.errorOutput.contains("--repair-from"), "\(missing.errorOutput)")

    let damaged = folder.path("damaged.sqlite")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: damaged))
    let result = try Executable.run(["verify", damaged])
    #expect(result.status == 1 && result.text.contains("damaged"), "\(result.text)")
    #expect(result.errorOutput.contains("--repair-from"), "\(result.errorOutput)")
  }
}
