import Foundation
import Testing

@testable import GodwitCommandLine
@testable import GodwitTrackerCommands

#if canImport(Glibc)
  import Glibc
#endif

@Suite("The terminal and its signals", .timeLimit(.minutes(20)))
struct TerminalTests {
  // MARK: Signals

  private static func isDefault(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.__sigaction_handler.sa_handler == nil
  }

  @Test("after the work the default signal handlers are restored")
  func signals() async throws {
    let during = try await Signals.cancelling { Self.isDefault(SIGINT) || Self.isDefault(SIGTERM) }
    #expect(!during)
    #expect(Self.isDefault(SIGINT) && Self.isDefault(SIGTERM))
    let handler = Signals.exitOnInterrupt(printing: "Interrupted.")
    #expect(!Self.isDefault(SIGINT))
    handler.cancel()
    #expect(Self.isDefault(SIGINT))
  }

  // MARK: Prompts

  private static func echoes(_ terminal: Int32) -> Bool {
    var state = termios()
    return tcgetattr(terminal, &state) == 0 && state.c_lflag & tcflag_t(ECHO) != 0
  }

  @Test("an interrupted password prompt leaves a terminal that shows the input", arguments: [SIGINT, SIGTERM])
  func interruptedPrompt(_ number: Int32) async throws {
    let folder = try TemporaryFolder()
    var (master, terminal): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &terminal, nil, nil, nil) == 0)
    defer {
      close(master)
      close(terminal)
    }
    let process = Process()
    process.executableURL = Executable.godwit
    process.arguments = ["user", "add", "anna", "--data", folder.path("data")]
    process.standardInput = FileHandle(fileDescriptor: terminal)
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The prompt needs some time to appear.
    while Self.echoes(terminal) {
      try #require(process.isRunning)
      try await Task.sleep(for: .milliseconds(10))
    }
    kill(process.processIdentifier, number)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130 && process.terminationReason == .exit)
    #expect(Self.echoes(terminal))
  }

  // MARK: Ports

  @Test(
    "an address is a host and a port",
    arguments: [
      ("127.0.0.1:2947", "127.0.0.1", 2947), ("localhost:1", "localhost", 1), ("gps.example:2947", "gps.example", 2947),
      ("[::1]:2947", "::1", 2947), ("127.0.0.1", nil, 0), ("127.0.0.1:0", nil, 0), ("127.0.0.1:99999", nil, 0),
      ("127.0.0.1:gpsd", nil, 0), (":2947", nil, 0), ("::1:2947", nil, 0), ("a b:1", nil, 0), ("[]:1", nil, 0),
    ] as [(String, String?, UInt16)])
  func endpoint(_ text: String, _ host: String?, _ port: UInt16) {
    let endpoint = TCPProbe.Endpoint(text)
    #expect(endpoint?.host == host && endpoint?.port ?? 0 == port)
  }

  /// Returns a socket that listens on a free port of this machine.
  private static func listen(backlog: Int32) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, backlog) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    try #require(isBound)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  @Test("an open port, a closed port and a port that never responds are distinguished in a short time")
  func ports() throws {
    let (descriptor, port) = try Self.listen(backlog: 0)
    #expect(TCPProbe.canConnect(host: "127.0.0.1", port: port))
    // The kernel ignores further connections, as a firewall does.
    let start = ContinuousClock.now
    while TCPProbe.canConnect(host: "127.0.0.1", port: port, within: .milliseconds(200)) {}
    #expect(ContinuousClock.now - start < .seconds(60))
    close(descriptor)
    #expect(!TCPProbe.canConnect(host: "127.0.0.1", port: port))
    #expect(!TCPProbe.canConnect(host: "no.such.host.invalid", port: port))
  }

  @Test("the doctor reports an invalid address of gpsd")
  func doctor() throws {
    let result = try Executable.run(["doctor", "--gpsd", "127.0.0.1:gpsd", "--data", try TemporaryFolder().path("data")])
    #expect(result.text.contains("\"127.0.0.1:gpsd\" is not an address; expected HOST:PORT"), "\(result.text)")
  }

  // MARK: The panel

  @Test("above the limit of wrong tokens the correct token is rejected too, but only from the same network")
  func panelLimit() throws {
    let folder = try TemporaryFolder()
    let access = try PanelAccess(token: "correct-horse-battery", journal: folder.path("journal"))
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    #expect(try access.accepts("correct-horse-battery", from: "192.0.2.1", at: now))
    for _ in 0..<20 { #expect(try !access.accepts("wrong", from: "192.0.2.1", at: now)) }
    #expect(throws: (any Error).self) { try access.accepts("correct-horse-battery", from: "192.0.2.1", at: now) }
    #expect(try access.accepts("correct-horse-battery", from: "198.51.100.1", at: now))
    #expect(try access.accepts("correct-horse-battery", from: "192.0.2.1", at: now.addingTimeInterval(3)))
  }
}
