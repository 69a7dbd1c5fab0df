import Foundation
import TestParts
import Testing

@Suite("Commands that protect data")
struct ProtectionCommandTests {
  @Test("a backup is encrypted with the passphrase of a file, and is restored with that passphrase alone")
  func encryptedBackup() throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data")]
    #expect(try Executable.run(["device", "add", "pixel-of-anna"] + data).status == 0)
    for (name, text) in [
      ("right", "correct horse battery\nmore\n"), ("wrong", "correct horse batterz\n"), ("short", "x\n"), ("empty", "\n"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }
    let archive = folder.path("godwit.backup")
    for name in ["short", "empty", "missing"] {
      let rejected = try Executable.run(["backup", archive, "--passphrase-file", folder.path(name)] + data)
      #expect(rejected.status != 0 && rejected.errorOutput.contains("--passphrase-file"), "\(rejected.errorOutput)")
    }
    let made = try Executable.run(["backup", archive, "--passphrase-file", folder.path("right")] + data)
    #expect(made.status == 0 && made.text.contains("encrypted"), "\(made.text)\(made.errorOutput)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
    #expect(bytes.range(of: Data("pixel-of-anna".utf8)) == nil)
    let wrong = try Executable.run(
      ["restore", archive, "--passphrase-file", folder.path("wrong"), "--data", folder.path("other")])
    #expect(wrong.status != 0 && wrong.errorOutput.contains("passphrase"), "\(wrong.errorOutput)")
    let right = try Executable.run(["restore", archive, "--passphrase-file", folder.path("right"), "--data", folder.path("new")])
    #expect(right.status == 0, "\(right.errorOutput)")
    #expect(try Executable.run(["device", "list", "--data", folder.path("new")]).text.contains("pixel-of-anna"))
  }

  @Test("the key of an OwnTracks app is read from a file, and plain messages can be rejected only if a key is set")
  func ownTracksKey() throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data")]
    #expect(try Executable.run(["device", "add", "phone"] + data).status == 0)
    try Data("the key\n".utf8).write(to: URL(fileURLWithPath: folder.path("key")))
    func run(_ arguments: String...) throws -> Executable.Result {
      try Executable.run(["device", "owntracks"] + arguments + data)
    }
    #expect(try run("phone").text.contains("no key, plain messages are accepted"))
    let keyless = try run("phone", "--sealed-only")
    #expect(keyless.status == 1 && keyless.errorOutput.contains("--key-file"), "\(keyless.errorOutput)")
    #expect(
      try run("phone", "--key-file", folder.path("key"), "--sealed-only").text.contains(
        "a key is set, plain messages are rejected"))
    #expect(try run("phone", "--allow-plain").text.contains("a key is set, plain messages are accepted"))
    #expect(try run("phone", "--remove-key").text.contains("no key, plain messages are accepted"))
    #expect(try run("phone", "--sealed-only", "--allow-plain").status == 2)
    #expect(try run("phone", "--key-file", folder.path("nothing")).errorOutput.contains("cannot be read"))
    #expect(try run("van").errorOutput.contains("No device is called"))
  }
}
