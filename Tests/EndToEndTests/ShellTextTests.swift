import Foundation
import Testing

@Suite("Completion of the command line", .timeLimit(.minutes(5)))
struct CompletionTests {
  private static func script(_ shell: String, in folder: TemporaryFolder) throws -> String {
    let result = try Executable.run(["completion", shell])
    #expect(result.status == 0 && result.text.contains("godwit completion \(shell)"))
    let path = folder.path("godwit.\(shell)")
    try result.output.write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test(
    "bash completes commands and options, and completes values and operands as files",
    .enabled(if: Executable.find("bash") != nil, "bash is not installed"),
    arguments: [
      ("d", "demo device delete docs doctor"), ("device a", "add"), ("device add --d", "--data"), ("serve --data ", ""),
      ("serve --data x --lis", "--listen"), ("import und", "undo"), ("import undo --perm", "--permanent"), ("--v", "--version"),
      ("export ", ""), ("zone apply --y", "--yes"), ("nonsense device a", "add"),
    ])
  func bash(_ typed: String, _ expected: String) throws {
    let folder = try TemporaryFolder()
    let path = try Self.script("bash", in: folder)
    let bash = try #require(Executable.find("bash"))
    let program = """
      . '\(path)'; IFS=' '; typed='\(typed)'; COMP_WORDS=(godwit $typed)
      [[ $typed == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _godwit; echo "${COMPREPLY[*]}"
      """
    let result = try Executable.run(bash, ["--norc", "-c", program])
    #expect(
      result.status == 0 && result.text == expected + "\n" && result.errorOutput.isEmpty, "\(result.text)\(result.errorOutput)")
  }

  @Test(
    "fish completes commands and options with their descriptions",
    .enabled(if: Executable.find("fish") != nil, "fish is not installed")
  )
  func fish() throws {
    let folder = try TemporaryFolder()
    let path = try Self.script("fish", in: folder)
    let fish = try #require(Executable.find("fish"))
    func completions(_ line: String) throws -> [String] {
      let text = try Executable.run(fish, ["--no-config", "-c", "source '\(path)'; complete -C '\(line)'"]).text
      return text.split(separator: "\n").map(String.init)
    }
    #expect(try completions("godwit device a").first?.hasPrefix("add\tCreate a device") == true)
    #expect(try completions("godwit serve --lis").first?.hasPrefix("--listen\t") == true)
    #expect(try !completions("godwit serve --").contains { $0.hasPrefix("--permanent") })
  }

  @Test("zsh reads its script", .enabled(if: Executable.find("zsh") != nil, "zsh is not installed"))
  func zsh() throws {
    let folder = try TemporaryFolder()
    let path = try Self.script("zsh", in: folder)
    let result = try Executable.run(try #require(Executable.find("zsh")), ["-n", path])
    #expect(result.status == 0 && result.text.isEmpty && result.errorOutput.isEmpty, "\(result.text)\(result.errorOutput)")
    let script = try String(contentsOfFile: path, encoding: .utf8)
    #expect(script.hasPrefix("#compdef godwit\n") && script.contains("'add:Create a device"))
  }

  @Test("an unsupported shell is wrong usage, and the message lists the supported ones")
  func unknown() throws {
    let result = try Executable.run(["completion", "tcsh"])
    #expect(result.status == 2 && result.errorOutput.contains("expected bash, zsh or fish"), "\(result.errorOutput)")
    #expect(try Executable.run(["completion"]).status == 2)
  }
}

@Suite("The manual", .timeLimit(.minutes(5)))
struct ManualTests {
  @Test("has a page for the program and each of its commands, with every option")
  func pages() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("man/man1")
    let result = try Executable.run(["manual", path])
    #expect(result.status == 0 && result.errorOutput.contains("pages into"), "\(result.errorOutput)")
    let files = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(files.contains("godwit.1") && files.contains("godwit-serve.1") && files.contains("godwit-device.1"))
    let root = try String(contentsOfFile: path + "/godwit.1", encoding: .utf8)
    #expect(root.hasPrefix(".TH GODWIT 1 \"\" \"godwit "), "\(root.prefix(40))")
    for file in files where file != "godwit.1" {
      #expect(root.contains(file.dropLast(2).replacing("-", with: "\\-") + "(1)"), "\(file) is not named in godwit.1")
    }
    let help = try Executable.run(["serve", "--help"]).text
    let serve = try String(contentsOfFile: path + "/godwit-serve.1", encoding: .utf8)
    for match in help.matches(of: #/\n  (--[a-z-]+)/#) {
      #expect(serve.contains("\\fB" + match.1.replacing("-", with: "\\-") + "\\fR"), "\(match.1)")
    }
  }

  @Test(
    "has pages that groff formats without a warning", .enabled(if: Executable.find("groff") != nil, "groff is not installed"))
  func formatted() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("man/man1")
    #expect(try Executable.run(["manual", path]).status == 0)
    let groff = try #require(Executable.find("groff"))
    let files = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(!files.isEmpty)
    for file in files {
      let result = try Executable.run(groff, ["-man", "-Tutf8", "-ww", "-z", path + "/" + file])
      #expect(
        result.status == 0 && result.text.isEmpty && result.errorOutput.isEmpty, "\(file): \(result.text)\(result.errorOutput)")
    }
  }

  @Test("a folder that cannot be written is reported")
  func rejected() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    try Data().write(to: URL(fileURLWithPath: path))
    let result = try Executable.run(["manual", path + "/man1"])
    #expect(result.status == 1 && result.errorOutput.contains("\(path)/man1 cannot be written"), "\(result.errorOutput)")
  }
}
