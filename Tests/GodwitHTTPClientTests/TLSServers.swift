#if os(Linux)
  import Foundation
  import Synchronization
  import TestBus
  import TestServer
  import Testing

  /// TLS servers whose certificates are created for the test with `openssl`. One `socat` per certificate terminates TLS and forwards
  /// the decrypted data to a `LocalServer`.
  final class TLSServers: Sendable {
    /// The certificate of a server.
    enum Certificate: String, Sendable, CaseIterable {
      /// Signed by the authority, for 127.0.0.1 and ::1.
      case good
      /// Self-signed.
      case selfSigned
      /// Signed by the authority, for another name.
      case otherName
      /// Signed by the authority, and expired since yesterday.
      case expired
    }

    /// The servers of the running suite.
    @TaskLocal static var current: TLSServers?

    static let programs = ["openssl", "socat"].map { URL(fileURLWithPath: "/usr/bin/" + $0) }
    static var areInstalled: Bool {
      programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    let behind: LocalServer
    let folder: URL
    private let fronts: [Certificate: Front]
    private let overIPv6: Front

    init() throws {
      behind = try LocalServer { request, connection in
        switch request.target {
        case "/cut": connection.hangUp()
        case "/half":
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
          connection.hangUp()
        default: connection.respond(body: Array(#"{"result":"ok"}"#.utf8))
        }
      }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
      var started: [Front] = []
      do {
        try Self.createCertificates(in: folder)
        var fronts: [Certificate: Front] = [:]
        for certificate in Certificate.allCases {
          let front = try Front(certificate, in: folder, to: behind.port, isIPv6: false)
          started.append(front)
          fronts[certificate] = front
        }
        let overIPv6 = try Front(.good, in: folder, to: behind.port, isIPv6: true)
        started.append(overIPv6)
        for front in started { try front.begin() }
        self.fronts = fronts
        self.overIPv6 = overIPv6
      } catch {
        for front in started { front.end() }
        try? FileManager.default.removeItem(at: folder)
        throw error
      }
    }

    private static func createCertificates(in folder: URL) throws {
      let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
      let names = "-addext subjectAltName=IP:127.0.0.1,IP:::1"
      try shell(
        """
        set -e
        openssl req -x509 \(curve) -keyout authority.key -out authority.pem -days 2 -subj /CN=authority
        openssl req -x509 \(curve) -keyout selfSigned.key -out selfSigned.pem -days 2 -subj /CN=selfSigned \(names)
        for name in good expired; do
          openssl req \(curve) -keyout $name.key -out $name.csr -subj /CN=$name \(names)
        done
        openssl req \(curve) -keyout otherName.key -out otherName.csr -subj /CN=otherName -addext subjectAltName=DNS:other.example
        sign="openssl x509 -req -CA authority.pem -CAkey authority.key -CAcreateserial -copy_extensions copy"
        $sign -in good.csr -days 2 -out good.pem
        $sign -in otherName.csr -days 2 -out otherName.pem
        $sign -in expired.csr -days -1 -out expired.pem
        for name in good selfSigned otherName expired; do
          openssl x509 -in $name.pem -pubkey -noout | openssl pkey -pubin -outform der |
            openssl dgst -sha256 -binary | openssl base64 -A >$name.pin
        done
        """, in: folder)
    }

    func end() {
      for front in Array(fronts.values) + [overIPv6] { front.end() }
      try? FileManager.default.removeItem(at: folder)
    }

    var authority: String { folder.appendingPathComponent("authority.pem").path }

    func certificate(_ certificate: Certificate) -> String { folder.appendingPathComponent("\(certificate).pem").path }

    /// The SHA-256 pin of the public key, as `openssl` computes it.
    func pin(_ certificate: Certificate) throws -> String {
      try String(contentsOf: folder.appendingPathComponent("\(certificate).pin"), encoding: .utf8)
    }

    func url(_ certificate: Certificate, _ path: String = "/", isIPv6: Bool = false) throws -> URL {
      let port = try #require(isIPv6 ? overIPv6.port : fronts[certificate]?.port)
      return try #require(URL(string: "https://\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)\(path)"))
    }

    private static func shell(_ script: String, in folder: URL) throws {
      let log = folder.appendingPathComponent("log")
      let setup = "cd '\(folder.path)' && exec 2>'\(log.path)' || exit 1\n"
      guard try ScopedProcess.run("/bin/sh", ["-c", setup + script]) == 0 else {
        throw LocalServer.Failure(description: try String(contentsOf: log, encoding: .utf8))
      }
    }

    /// A `socat` process that serves a certificate.
    private final class Front: Sendable {
      private let process: Process
      private let log = Pipe()
      private let found = Mutex<UInt16?>(nil)

      var port: UInt16? { found.withLock { $0 } }

      init(_ certificate: Certificate, in folder: URL, to port: UInt16, isIPv6: Bool) throws {
        process = Process()
        process.executableURL = TLSServers.programs[1]
        process.currentDirectoryURL = folder
        process.arguments = [
          "-d", "-d",
          "OPENSSL-LISTEN:0,\(isIPv6 ? "pf=ip6,bind=[::1]" : "pf=ip4,bind=127.0.0.1"),fork,verify=0,cert=\(certificate).pem,key=\(certificate).key",
          "TCP4:127.0.0.1:\(port)",
        ]
        process.standardError = log
        process.standardInput = FileHandle.nullDevice
        try process.run()
      }

      /// Returns when `socat` has logged the port on which it listens.
      func begin() throws {
        let reading = log.fileHandleForReading
        var output = ""
        while port == nil {
          let some = reading.availableData
          guard !some.isEmpty else { throw LocalServer.Failure(description: "socat ended: \(output)") }
          output += String(decoding: some, as: UTF8.self)
          for line in output.split(separator: "\n") where line.contains("listening on") {
            found.withLock { $0 = line.split(separator: ":").last.flatMap { UInt16($0) } }
          }
        }
        // The messages about each connection would otherwise fill the pipe.
        reading.readabilityHandler = { _ = $0.availableData }
      }

      func end() {
        // A process that is started on a dispatch thread has all other signals blocked.
        kill(process.processIdentifier, SIGKILL)
        log.fileHandleForReading.readabilityHandler = nil
      }
    }
  }

  /// Provides servers for a whole suite.
  struct TLSServersTrait: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
      let servers = try TLSServers()
      defer { servers.end() }
      try await TLSServers.$current.withValue(servers) { try await function() }
    }
  }

  extension Trait where Self == TLSServersTrait {
    static var tlsServers: Self { Self() }
  }
#endif
