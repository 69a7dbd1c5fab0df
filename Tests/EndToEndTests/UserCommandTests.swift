import Foundation
import Testing

@testable import GodwitAccounts

#if canImport(Glibc)
  import Glibc
#endif

@Suite("godwit user")
struct UserCommandTests {
  /// Runs a command with a text as its standard input.
  private static func run(_ arguments: [String], input: String) throws -> Executable.Result {
    let bash = try #require(Executable.find("bash"))
    return try Executable.run(
      bash, ["-c", #"printf '%s' "$INPUT" | "$@""#, "bash", Executable.godwit.path] + arguments, environment: ["INPUT": input])
  }

  @Test("the password is the first line of standard input; the first user is an administrator")
  func standardInput() throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data")]
    let added = try Self.run(["user", "add", "anna"] + data, input: "correct horse\nand more\n")
    #expect(added.status == 0 && added.errorOutput.contains("as an administrator"), "\(added.errorOutput)")
    #expect(try Self.run(["user", "add", "ben"] + data, input: "correct horse\n").errorOutput.contains("as a member"))
    let list = try Executable.run(["user", "list", "--json"] + data)
    let users = try #require(JSONSerialization.jsonObject(with: list.output) as? [[String: Any]])
    #expect(users.map { $0["name"] as? String } == ["anna", "ben"])
    #expect(users.map { $0["role"] as? String } == ["admin", "member"])
    #expect(users.map { $0["second_factor"] as? Bool } == [false, false])
    let none = try Executable.run(["user", "remove-second-factor", "ben", "--yes"] + data)
    #expect(none.status == 1 && none.errorOutput.contains("ben has no second factor"), "\(none.errorOutput)")
    #expect(try Executable.run(["user", "list"] + data).text.contains("NAME"))
    #expect(try Executable.run(["user", "remove", "ben"] + data).status == 1)
    #expect(try Executable.run(["user", "remove", "Ben", "--yes"] + data).status == 0)
    #expect(try Executable.run(["user", "remove", "ben", "--yes"] + data).errorOutput.contains("No user"))
  }

  @Test(
    "invalid arguments are rejected with the reason",
    arguments: [
      (["add", "anna"], "short\n", 1, "8 to 512 characters"), (["add", "anna"], "", 1, "first line of standard input"),
      (["add", "/etc/passwd"], "long enough\n", 2, "not a valid user name"), (["add"], "", 2, "NAME"),
      (["add", "anna"], "Password1!\n", 1, "most common"), (["password", "anna"], "long enough\n", 1, "No user"),
      (["remove-second-factor", "anna", "--yes"], "", 1, "No user"),
    ] as [([String], String, Int32, String)])
  func rejected(_ arguments: [String], _ input: String, _ status: Int32, _ message: String) throws {
    let folder = try TemporaryFolder()
    _ = try Executable.run(["device", "add", "phone", "--data", folder.path("data")])
    let result = try Self.run(["user"] + arguments + ["--data", folder.path("data")], input: input)
    #expect(result.status == status && result.errorOutput.contains(message), "\(result.errorOutput)")
  }

  #if canImport(Glibc)
    /// A pseudoterminal on which `godwit` runs.
    private final class Terminal {
      private let ours: Int32
      private let process = Process()
      private(set) var seen = ""

      init(_ arguments: [String]) throws {
        ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        var (locked, number) = (Int32(0), UInt32(0))
        // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h unlock the other side and return its number.
        try #require(ours >= 0 && ioctl(ours, 0x4004_5431, &locked) == 0 && ioctl(ours, 0x8004_5430, &number) == 0)
        let theirs = FileHandle(fileDescriptor: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY), closeOnDealloc: true)
        process.executableURL = Executable.godwit
        process.arguments = arguments
        (process.standardInput, process.standardOutput, process.standardError) = (theirs, theirs, theirs)
        try process.run()
      }

      deinit { close(ours) }

      /// Waits until a text is on the terminal.
      func wait(for text: String) async throws {
        let end = Date().addingTimeInterval(60)
        while Date() < end {
          var buffer = [UInt8](repeating: 0, count: 4096)
          let count = buffer.withUnsafeMutableBytes { read(ours, $0.baseAddress, $0.count) }
          if count > 0 { seen += String(decoding: buffer[..<count], as: UTF8.self) }
          if seen.contains(text) { return }
          if count <= 0 { try await Task.sleep(for: .milliseconds(10)) }
        }
        Issue.record("timed out waiting for \(text); the terminal has \(seen)")
      }

      func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(ours, $0.baseAddress, $0.count) }
      }
    }

    @Test("at a terminal the password is requested twice and not echoed", .timeLimit(.minutes(20)))
    func terminal() async throws {
      let folder = try TemporaryFolder()
      let data = folder.path("data")
      let good = try Terminal(["user", "add", "anna", "--data", data])
      try await good.wait(for: "Password for anna: ")
      good.write("correct horse\n")
      try await good.wait(for: "Repeat the password: ")
      good.write("correct horse\n")
      try await good.wait(for: "can sign in")
      #expect(!good.seen.contains("horse"))
      let wrong = try Terminal(["user", "password", "anna", "--data", data])
      try await wrong.wait(for: "New password for anna: ")
      wrong.write("battery staple\n")
      try await wrong.wait(for: "Repeat the password: ")
      wrong.write("battery stable\n")
      try await wrong.wait(for: "The passwords differ")
      #expect(!wrong.seen.contains("battery"))
    }
  #endif
}
