import DeviceLife
import Foundation

/// Other programs that are measured or that generate load.
enum Programs {
  static func find(_ name: String) -> URL? {
    ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { URL(fileURLWithPath: $0 + name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// The executable `godwit` of the parent package.
  static var godwit: URL {
    URL(fileURLWithPath: ProcessInfo.processInfo.environment["GODWIT"] ?? "../.build/release/godwit")
  }

  /// This program, which runs some of its parts in separate processes.
  static var benchmarks: URL { Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]) }

  /// The program that runs a device in a separate process, without the libraries of a server.
  static var device: URL { benchmarks.deletingLastPathComponent().appendingPathComponent("DeviceProcess") }

  /// An error: a program ended with a status other than 0, or cannot be run.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program, and throws its error message if it fails.
  static func runStrictly(_ program: URL, _ arguments: [String]) throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-bench-errors-\(UUID().uuidString)")
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw Failure(description: "\(file.path) cannot be written")
    }
    defer { try? FileManager.default.removeItem(at: file) }
    let errors = try FileHandle(forWritingTo: file)
    let (output, status) = try outcome(of: program, arguments, environment: [:], errors: errors)
    guard status == 0 else {
      let message = String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
      throw Failure(description: "\(program.lastPathComponent) \(arguments.first ?? "") ended with status \(status): \(message)")
    }
    return output
  }

  @discardableResult
  static func run(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws -> String {
    try outcome(of: program, arguments, environment: environment, errors: .nullDevice).output
  }

  private static func outcome(
    of program: URL, _ arguments: [String], environment: [String: String], errors: FileHandle
  ) throws -> (output: String, status: Int32) {
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw Failure(description: "\(program.path) is not there; scripts/bench builds it")
    }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = errors
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: output, as: UTF8.self), process.terminationStatus)
  }

  /// Adds a device to the server's data, or to the store that the environment names.
  /// - Returns: its token.
  static func addDevice(_ name: String, data: URL, environment: [String: String] = [:]) throws -> String {
    let added = try run(
      godwit, ["device", "add", name, "--json"] + place(data, environment), environment: environment)
    let object = try JSONSerialization.jsonObject(with: Data(added.utf8)) as? [String: Any]
    return object?["token"] as? String ?? ""
  }

  /// The options for the data folder and for the store that the environment names, which `--data` alone would replace.
  static func place(_ data: URL, _ environment: [String: String]) -> [String] {
    ["--data", data.path] + (environment["GODWIT_STORE"].map { ["--store", $0] } ?? [])
  }

  /// Runs a script of `Load/`.
  /// - Parameters:
  ///   - wrk: the program.
  ///   - script: the name of the script without the suffix.
  ///   - environment: the variables that the script reads.
  /// - Returns: the values that it prints, by name.
  static func load(
    _ wrk: URL, _ script: String, port: Int, connections: Int = 64, seconds: Int, _ environment: [String: String]
  ) throws -> [String: Double] {
    let output = try run(
      wrk,
      ["-t1", "-c\(connections)", "-d\(seconds)s", "--latency", "-s", "Load/\(script).lua", "http://127.0.0.1:\(port)"],
      environment: environment)
    var values: [String: Double] = [:]
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, let value = Double(words[1]) { values[String(words[0])] = value }
    }
    if values["errors"] != 0 { FileHandle.standardError.write(Data("wrk saw errors:\n\(output)\n".utf8)) }
    return values
  }

  /// Ends a program and waits for it, on any thread. `waitUntilExit` would wait for the run loop of the thread that started it. SIGTERM is
  /// sent, because a program that a shell started in the background ignores SIGINT.
  static func end(_ process: Process) {
    process.terminate()
    while process.isRunning { usleep(10_000) }
  }

  /// Highest resident memory of a running process so far, in MiB.
  static func peakMemory(of process: Int32) -> Double? {
    let kilobytes = DeviceReport.memory("VmHWM", of: "\(process)")
    return kilobytes.isNaN ? nil : kilobytes / 1024
  }
}

/// A Godwit server on a free port of this machine.
final class Server {
  let folder: URL
  let token: String
  let port: Int
  private let process: Process

  /// Starts a server with one device, whose token is in `token`.
  /// - Parameters:
  ///   - parent: the folder in which its data folder is created.
  ///   - environment: variables in addition to those of this process.
  convenience init(in parent: URL, environment: [String: String] = [:]) throws {
    let folder = parent.appendingPathComponent("server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let token = try Programs.addDevice("walker", data: folder, environment: environment)
    try self.init(folder: folder, token: token, environment: environment)
  }

  /// Starts a server on existing data, with the administrator's token.
  convenience init(data folder: URL) throws {
    try self.init(folder: folder, token: nil, environment: [:])
  }

  private init(folder: URL, token: String?, environment: [String: String]) throws {
    self.folder = folder
    let notes = folder.appendingPathComponent("notes")
    try Data().write(to: notes)
    process = Process()
    process.executableURL = Programs.godwit
    // All requests are from one client, and would exceed the rate limits.
    process.arguments =
      [
        "serve", "--listen", "127.0.0.1:0", "--upload-limit", "0", "--request-limit", "0",
      ] + Programs.place(folder, environment)
    process.standardError = try FileHandle(forWritingTo: notes)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try process.run()
    var found: Int?
    while found == nil, process.isRunning {
      usleep(20_000)
      found = try String(contentsOf: notes, encoding: .utf8).firstMatch(of: #/127\.0\.0\.1:(\d+)\//#).flatMap { Int($0.1) }
    }
    guard let found else { throw CocoaError(.fileReadUnknown) }
    port = found
    // The server writes this file at its first start.
    self.token =
      try token
      ?? String(contentsOf: folder.appendingPathComponent("admin-token"), encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  /// Highest resident memory so far, in MiB.
  var peakMemory: Double? { Programs.peakMemory(of: process.processIdentifier) }

  /// Stops the server, so that another program can use its data.
  func end() {
    if process.isRunning { Programs.end(process) }
  }

  deinit {
    end()
  }
}
