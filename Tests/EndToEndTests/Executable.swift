import Foundation
import Synchronization
import TestClient
import TestCluster
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Runs the built `godwit` and other programs, as a user does.
enum Executable {
  /// The executable beside the test bundle, from the same build.
  static var godwit: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("godwit")
  }

  static func find(_ name: String) -> URL? {
    ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/snap/bin/"].map { URL(fileURLWithPath: $0 + name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  struct Result {
    var status: Int32
    var output: Data
    var errorOutput: String
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// A program that did not end before its deadline and was killed.
  struct Overdue: Error, CustomStringConvertible {
    let command: String
    let seconds: Double
    let errorOutput: String
    var description: String { "\(command) did not end within \(seconds) s and was killed. It printed: \(errorOutput)" }
  }

  /// Runs a program to its end.
  /// - Parameter seconds: the maximum time. Then the program is killed.
  /// - Throws: ``Overdue`` if the program was killed.
  static func run(
    _ program: URL, _ arguments: [String], environment: [String: String] = [:], seconds: Double = 300
  ) throws -> Result {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // Files instead of pipes: a program with much output does not block.
    let folder = try TemporaryFolder()
    let (output, errors) = (folder.path("output"), folder.path("errors"))
    for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let end = ContinuousClock.now + .seconds(seconds)
    var isOverdue = false
    while process.isRunning {
      if !isOverdue, ContinuousClock.now >= end {
        isOverdue = true
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
    let errorOutput = String(decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self)
    guard !isOverdue else {
      let command = ([program.path] + arguments).joined(separator: " ")
      throw Overdue(command: command, seconds: seconds, errorOutput: errorOutput)
    }
    return Result(
      status: process.terminationStatus, output: FileManager.default.contents(atPath: output) ?? Data(),
      errorOutput: errorOutput)
  }

  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
    try run(godwit, arguments, environment: environment)
  }
}

/// A temporary folder that is deleted with the last reference to it.
final class TemporaryFolder {
  let url: URL
  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: url) }
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// A program that runs in the background, and is killed with the last reference to it.
final class Background {
  let process = Process()
  private let errors: String
  private let output: String

  init(
    _ program: URL, _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
  ) throws {
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let name = UUID().uuidString
    errors = folder.path(name + ".errors")
    output = folder.path(name + ".output")
    for file in [errors, output] { try Data().write(to: URL(fileURLWithPath: file)) }
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  deinit { if process.isRunning { kill() } }

  var text: String { String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self) }
  var errorOutput: String { String(decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self) }

  /// Waits until `condition` returns a value.
  @discardableResult
  func wait<Value>(_ what: String, seconds: Double = 60, _ condition: () throws -> Value?) async throws -> Value {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      if let value = try condition() { return value }
      try await Task.sleep(for: .milliseconds(20))
    }
    // Other tests may have occupied all threads, so that the condition was not checked for a long time.
    if let value = try condition() { return value }
    throw Timeout(what: what, errorOutput: errorOutput)
  }

  func interrupt() { _ = Glibc.kill(process.processIdentifier, SIGINT) }
  func kill() { _ = Glibc.kill(process.processIdentifier, SIGKILL) }

  /// The exit status.
  func waitForEnd() async throws -> Int32 {
    try await wait("the end of the program") { process.isRunning ? nil : true }
    return process.terminationStatus
  }

  struct Timeout: Error, CustomStringConvertible {
    let what: String
    let errorOutput: String
    var description: String { "Timed out waiting for \(what). The program printed: \(errorOutput)" }
  }
}

/// A server with one device.
final class RunningServer {
  let folder: TemporaryFolder
  let data: String
  let token: String
  /// The port, which stays the same after a restart.
  let port: UInt16
  private(set) var background: Background
  /// The options for the data folder and the store.
  private let place: [String]
  private let arguments: [String]
  private let environment: [String: String]

  /// - Parameters:
  ///   - device: name of the device that is added before the start.
  ///   - store: address of the database; `nil`: a store in the folder.
  ///   - clock: the clock of the server; `nil`: the clock of the machine.
  ///   - more: additional arguments of `godwit serve`.
  init(device: String = "walker", store: String? = nil, clock: SteppedClock? = nil, more: [String] = []) async throws {
    folder = try TemporaryFolder()
    data = folder.path("data")
    place = ["--data", data] + (store.map { ["--store", $0] } ?? [])
    environment = clock?.environment ?? [:]
    token = try Self.addDevice(device, place)
    port = try TestCluster.freePort()
    arguments = ["serve", "--listen", "127.0.0.1:\(port)"] + place + more
    background = try Background(Executable.godwit, arguments, in: folder, environment: environment)
    try await listening()
  }

  /// Adds another device.
  /// - Returns: its token.
  func addDevice(_ name: String) throws -> String { try Self.addDevice(name, place, environment) }

  private static func addDevice(
    _ name: String, _ place: [String], _ environment: [String: String] = [:]
  ) throws -> String {
    let added = try Executable.run(["device", "add", name, "--json"] + place, environment: environment)
    #expect(added.status == 0, "\(added.errorOutput)")
    let object = try #require(JSONSerialization.jsonObject(with: added.output) as? [String: Any])
    return try #require(object["token"] as? String)
  }

  /// Creates a region, and a webhook for its events unless `webhook` is `nil`.
  func addRegion(_ region: String, webhook: WebhookSink?) async throws {
    let origin = "http://127.0.0.1:\(port)/api/v1/"
    #expect(try await ask("PUT", origin + "regions/bend", region, token: administratorToken).status < 300)
    guard let webhook else { return }
    let url = #"{"url":"http://127.0.0.1:\#(webhook.port)/hook"}"#
    #expect(try await ask("POST", origin + "webhooks", url, token: administratorToken).status < 300)
  }

  var endpoint: String { "http://127.0.0.1:\(port)/api/overland" }

  /// The administrator token.
  var administratorToken: String {
    get throws { try String(contentsOfFile: data + "/admin-token", encoding: .utf8).trimmingCharacters(in: .newlines) }
  }

  /// Opens a link of `godwit login` in a browser, which then has an administrator session.
  func login(_ browser: Chromium) async throws { try await browser.login(["--data", data]) }

  private func listening() async throws {
    try await background.wait("the server to listen") {
      background.errorOutput.contains("http://127.0.0.1:\(port)/") ? true : nil
    }
  }

  /// Kills the server with SIGKILL, and starts it again at the same address.
  func killAndRestart() async throws {
    try await kill()
    try await restart()
  }

  func kill() async throws {
    background.kill()
    _ = try await background.waitForEnd()
  }

  /// Suspends the process of the server: connections are accepted, but requests get no response.
  func freeze() { _ = Glibc.kill(background.process.processIdentifier, SIGSTOP) }
  /// Resumes the process of the server.
  func thaw() { _ = Glibc.kill(background.process.processIdentifier, SIGCONT) }

  func restart() async throws {
    background = try Background(Executable.godwit, arguments, in: folder, environment: environment)
    try await listening()
  }

  func stop() async throws -> Int32 {
    background.interrupt()
    return try await background.waitForEnd()
  }

  /// Returns the points of a device as `godwit export` writes them.
  func exported(device: String = "walker") throws -> [Walk.Point] {
    let result = try Executable.run(["export", "--device", device, "--format", "gpx"] + place, environment: environment)
    #expect(result.status == 0, "\(result.errorOutput)")
    return Walk.points(of: result.text)
  }
}
