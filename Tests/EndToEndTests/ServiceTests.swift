import Foundation
import TestClient
import TestParts
import Testing

#if canImport(Glibc)
  import Glibc

  /// The socket on which systemd receives notifications of services.
  private final class NotifySocket {
    private let handle: Int32
    private var received: [String] = []

    /// - Parameter path: the path of the socket; a path that begins with "@" is a name in the abstract namespace.
    init(_ path: String) throws {
      handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(path.utf8)
      if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = try #require(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)) + bytes.count
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(handle, $0, socklen_t(length)) }
      }
      try #require(bound == 0, "bind: \(errno)")
    }

    deinit { close(handle) }

    /// Returns all notifications received so far.
    func all() -> [String] {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(handle, &buffer, buffer.count, 0)
        guard count > 0 else { return received }
        received.append(String(decoding: buffer[..<count], as: UTF8.self))
      }
    }
  }

  @Suite("The server as a service")
  struct ServiceTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    private static let analyze = Executable.find("systemd-analyze")

    private static func upload(_ second: Int, to port: UInt16, _ token: String) async throws -> Int {
      let time = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: 1_795_163_400 + Double(second)))
      let body =
        #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46]},"properties":{"timestamp":"\#(time)"}}]}"#
      return try await ask("POST", "http://127.0.0.1:\(port)/api/overland", body, token: token).status
    }

    @Test(
      "notifies systemd when it is ready, running and stopping; SIGTERM ends it after all acknowledged records are stored",
      .timeLimit(.minutes(20)), arguments: [false, true])
    func notifying(_ isAbstract: Bool) async throws {
      let folder = try TemporaryFolder()
      let path = isAbstract ? "@godwit-\(UUID().uuidString)" : folder.path("notify")
      let notices = try NotifySocket(path)
      let data = folder.path("data")
      let added = try Executable.run(["device", "add", "phone", "--data", data, "--json"])
      let token = try #require(
        (try JSONSerialization.jsonObject(with: added.output) as? [String: Any])?["token"] as? String)
      let server = try Background(
        Executable.godwit, ["serve", "--listen", "127.0.0.1:0", "--data", data], in: folder,
        environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"])
      let port = try await server.wait("the server to listen") {
        server.errorOutput.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#).flatMap { UInt16($0.1) }
      }
      try await server.wait("the notification that it is ready") {
        notices.all().contains { $0.hasPrefix("READY=1\n") } ? true : nil
      }
      try await server.wait("three watchdog notifications") {
        notices.all().filter { $0 == "WATCHDOG=1" }.count >= 3 ? true : nil
      }
      // Uploads are in flight while the service is stopped.
      let stored = await withTaskGroup(of: Int.self) { group in
        for second in 0..<40 { group.addTask { (try? await Self.upload(second, to: port, token)) == 200 ? 1 : 0 } }
        var stored = 0
        for await one in group {
          // The receive queue of the socket is short, so it is emptied.
          _ = notices.all()
          stored += one
          if stored == 5, one == 1 { _ = kill(server.process.processIdentifier, SIGTERM) }
        }
        return stored
      }
      #expect(stored >= 5)
      try await server.wait("the end of the program") {
        _ = notices.all()
        return server.process.isRunning ? nil : true
      }
      #expect(server.process.terminationStatus == 0, "\(server.errorOutput)")
      #expect(notices.all().contains { $0.hasPrefix("STOPPING=1") }, "\(notices.all())")
      let export = try Executable.run(["export", "--device", "phone", "--format", "csv", "--data", data])
      let lines = export.text.split(whereSeparator: \.isNewline).count - 1
      #expect(lines >= stored, "\(stored) records were acknowledged, \(lines) are stored")
    }

    @Test(
      "the unit is valid for systemd, and hardened",
      .enabled(if: TestPart.systemd.isRun, "\(TestPart.systemd.reason)"))
    func unit() throws {
      let analyze = try #require(Self.analyze)
      let folder = try TemporaryFolder()
      for name in ["godwit.service", "godwit-snapshot.service", "godwit-snapshot.timer", "godwit-tracker.service"] {
        let text = try String(contentsOf: Self.root.appendingPathComponent("Packaging/systemd/\(name)"), encoding: .utf8)
        // The executables are not installed in /usr/bin here.
        try text.replacing("/usr/bin/godwit", with: Executable.godwit.path)
          .write(toFile: folder.path(name), atomically: true, encoding: .utf8)
      }
      for name in ["godwit.service", "godwit-snapshot.timer", "godwit-tracker.service"] {
        let verified = try Executable.run(
          analyze, ["verify", "--man=no", "--recursive-errors=no", folder.path(name)],
          environment: ["SYSTEMD_UNIT_PATH": folder.url.path + ":"])
        let ours = verified.errorOutput.split(separator: "\n").filter { $0.contains("godwit") }
        #expect(verified.status == 0 && ours.isEmpty, "\(verified.errorOutput)")
      }
      for name in ["godwit.service", "godwit-snapshot.service", "godwit-tracker.service"] {
        let secure = try Executable.run(
          analyze, ["security", "--offline=true", "--threshold=20", "--no-pager", folder.path(name)])
        #expect(secure.status == 0, "exposed by more than 2.0: \(secure.text.suffix(4000)) \(secure.errorOutput)")
      }
    }

    @Test("the image has the build and runtime dependencies of the program")
    func image() throws {
      let lines = try String(contentsOf: Self.root.appendingPathComponent("Packaging/Dockerfile"), encoding: .utf8)
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
      let stages = lines.components(separatedBy: "\nFROM ")
      try #require(stages.count == 2)
      func words(_ text: String) -> Set<String> { Set(text.split { $0.isWhitespace || $0 == "\\" }.map(String.init)) }
      let bootstrap = try String(contentsOf: Self.root.appendingPathComponent("scripts/bootstrap"), encoding: .utf8)
      let packages = try #require(bootstrap.firstMatch(of: #/packages=\((libmicrohttpd-dev[^)]*)\)/#)?.1)
      for package in words(String(packages)) where package.hasSuffix("-dev") {
        #expect(words(stages[0]).contains(package), "\(package) is in scripts/bootstrap, and not in the image that builds")
      }
      // It runs as an unprivileged user, and has a health check.
      #expect(stages[1].contains("\nUSER 10001\n") && stages[1].contains("\nHEALTHCHECK ") && stages[1].contains("/healthz"))
      guard let readelf = Executable.find("readelf"), let ldd = Executable.find("ldd"),
        let dpkg = Executable.find("dpkg-query")
      else { return }
      let found = try Executable.run(ldd, [Executable.godwit.path]).text
      let linked = try Executable.run(readelf, ["-d", Executable.godwit.path]).text
      for library in linked.matches(of: #/NEEDED.*\[(lib[^\]]+)\]/#).map({ String($0.1) }) {
        // Packages for other processors (libc6-i386) have libraries of the same name, so the path of the loaded library is used.
        // Only its last folder is compared, because /lib may be a link.
        let path = found.split(separator: "\n").first { $0.trimmingCharacters(in: .whitespaces).hasPrefix(library + " => ") }?
          .split(separator: " ").first { $0.hasPrefix("/") }
        let place = path?.split(separator: "/").suffix(2).joined(separator: "/") ?? library
        let package = try Executable.run(dpkg, ["--search", "*/\(place)"]).text.prefix { $0 != ":" && $0 != "," }
        // The executable of the image is linked statically with the Swift libraries, and every image has the C library.
        guard !package.isEmpty, !["libc6", "libgcc-s1", "libstdc++6"].contains(String(package)) else { continue }
        #expect(words(stages[1]).contains(String(package)), "\(library) is in \(package), which the image does not have")
      }
    }

    @Test(
      "a snapshot of a server during writes is consistent, and has all records that were acknowledged before it",
      .timeLimit(.minutes(20)))
    func snapshot() async throws {
      let server = try await RunningServer(device: "phone")
      for second in 0..<5 { #expect(try await Self.upload(second, to: server.port, server.token) == 200) }
      let folder = try TemporaryFolder()
      let copy = folder.path("godwit.sqlite")
      let (port, token) = (server.port, server.token)
      let writing = Task {
        for second in 100..<200 where !Task.isCancelled { _ = try? await Self.upload(second, to: port, token) }
      }
      let taken = try Executable.run(["snapshot", copy, "--data", server.data])
      #expect(taken.status == 0 && taken.errorOutput.contains("checked"), "\(taken.errorOutput)")
      writing.cancel()
      await writing.value
      let again = try Executable.run(["snapshot", copy, "--data", server.data])
      #expect(again.status == 1 && again.errorOutput.contains("--replace"), "\(again.errorOutput)")
      let export = try Executable.run(["export", "--device", "phone", "--format", "csv", "--data", folder.url.path])
      let lines = export.text.split(whereSeparator: \.isNewline).count - 1
      #expect((5...105).contains(lines), "\(lines)")
      #expect(try Executable.run(["snapshot", copy, "--replace", "--data", server.data]).status == 0)
      // No unfinished file remains.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.contains("unfinished") }.isEmpty)
      let attributes = try FileManager.default.attributesOfItem(atPath: copy)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      let unreachable = try Executable.run(["snapshot", folder.path("b"), "--data", folder.path("nothing")])
      #expect(unreachable.status == 1 && unreachable.errorOutput.contains("no database"))
      // The doctor reports the snapshot, and the running server at its port, which it finds without --listen.
      let checked = try Executable.run(
        ["doctor", "--server", "--json", "--data", server.data], environment: ["GODWIT_CONFIG": "/dev/null"])
      let results = try #require(try JSONSerialization.jsonObject(with: checked.output) as? [[String: Any]])
      func text(_ subject: String) -> String { results.first { $0["subject"] as? String == subject }?["text"] as? String ?? "" }
      #expect(text("Last snapshot").contains(copy) && text("Port").hasPrefix("godwit "), "\(results)")
      #expect(text("Port").hasSuffix("answers at 127.0.0.1:\(server.port)"), "\(results)")
      // A configured address is used as well, and an option before it.
      for (variable, option, part) in [
        ("127.0.0.1:1", [], "127.0.0.1:1:"), ("127.0.0.1:0", [], "answers at 127.0.0.1:\(server.port)"),
        ("127.0.0.1:1", ["--listen", "127.0.0.1:2"], "127.0.0.1:2:"),
      ] as [(String, [String], String)] {
        let found = try Executable.run(
          ["doctor", "--server", "--data", server.data] + option,
          environment: ["GODWIT_CONFIG": "/dev/null", "GODWIT_LISTEN": variable])
        #expect(found.text.contains(part), "\(variable): \(found.text)")
      }
      #expect(text("Database").contains("is intact") && text("Schema").contains("the newest"), "\(results)")
      #expect(checked.status == 0, "\(checked.errorOutput)")
    }

    @Test("the doctor finds the problems of a server, and changes nothing")
    func doctor() throws {
      let folder = try TemporaryFolder()
      func results(_ arguments: [String], in data: String) throws -> (status: Int32, by: [String: [String: Any]]) {
        let result = try Executable.run(["doctor", "--server", "--json", "--data", data, "--listen", "127.0.0.1:1"] + arguments)
        let list = try #require(
          try JSONSerialization.jsonObject(with: result.output) as? [[String: Any]], "\(result.errorOutput)")
        return (result.status, Dictionary(list.map { ($0["subject"] as? String ?? "", $0) }) { $1 })
      }
      let nothing = try results([], in: folder.path("none"))
      #expect(nothing.status == 0 && !FileManager.default.fileExists(atPath: folder.path("none")))
      #expect((nothing.by["Port"]?["text"] as? String)?.contains("free") == true)

      let data = folder.path("data")
      #expect(try Executable.run(["device", "add", "phone", "--data", data]).status == 0)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: data)
      try Data("no certificate".utf8).write(to: folder.url.appendingPathComponent("bad.pem"))
      let open = try results(["--certificate", folder.path("bad.pem"), "--key", folder.path("missing")], in: data)
      #expect(open.status == 1)
      #expect((open.by["Data folder"]?["text"] as? String)?.contains("chmod 700") == true)
      #expect((open.by["Certificate"]?["text"] as? String)?.contains("no certificate in PEM") == true)
      #expect((open.by["Key"]?["text"] as? String)?.contains("cannot be read") == true)

      // A database that was overwritten in the middle.
      let file = try #require(FileHandle(forWritingAtPath: data + "/godwit.sqlite"))
      try file.seek(toOffset: 4096)
      try file.write(contentsOf: Data(repeating: 0x5A, count: 8192))
      try file.close()
      let broken = try results([], in: data)
      #expect(broken.status == 1 && broken.by["Database"]?["ok"] as? Bool == false, "\(broken.by)")
    }

    @Test("the end of a certificate's validity is read", .enabled(if: TestPart.openssl.isRun, "\(TestPart.openssl.reason)"))
    func certificates() throws {
      let openssl = try #require(Executable.find("openssl"))
      let folder = try TemporaryFolder()
      let (key, certificate) = (folder.path("key.pem"), folder.path("certificate.pem"))
      for (days, decision, words) in [("90", true, "is valid until"), ("3", false, "check its automatic renewal")] {
        let made = try Executable.run(
          openssl,
          [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-days", days, "-keyout", key, "-out",
            certificate,
          ])
        #expect(made.status == 0, "\(made.errorOutput)")
        let checked = try Executable.run([
          "doctor", "--server", "--json", "--data", folder.path("data"), "--listen", "127.0.0.1:1", "--certificate", certificate,
          "--key", key,
        ])
        let list = try #require(try JSONSerialization.jsonObject(with: checked.output) as? [[String: Any]])
        let found = try #require(list.first { $0["subject"] as? String == "Certificate" })
        #expect(found["ok"] as? Bool == decision && (found["text"] as? String)?.contains(words) == true, "\(found)")
        #expect(list.first { $0["subject"] as? String == "Key" }?["ok"] as? Bool == true, "\(list)")
      }
    }

    @Test("a journal whose name has one character is created", .timeLimit(.minutes(20)))
    func shortName() async throws {
      let folder = try TemporaryFolder()
      let walk = #"""
        <?xml version="1.0"?><gpx version="1.1"><trk><trkseg><trkpt lat="46" lon="14"><time>2026-11-20T08:30:00Z</time></trkpt></trkseg></trk></gpx>
        """#
      try walk.write(toFile: folder.path("walk.gpx"), atomically: true, encoding: .utf8)
      let line = #"cd "$1" && exec "$2" track --source walk.gpx --speed max --journal j --endpoint http://127.0.0.1:1/"#
      let tracker = try Background(
        try #require(Executable.find("bash")), ["-c", line, "bash", folder.url.path, Executable.godwit.path], in: folder)
      try await tracker.wait("the journal, \(tracker.errorOutput)") {
        FileManager.default.fileExists(atPath: folder.path("j")) ? true : nil
      }
      tracker.interrupt()
      // The signal may arrive before the handler is installed; the tracker must not crash.
      #expect([0, SIGINT].contains(try await tracker.waitForEnd()), "\(tracker.errorOutput)")
    }
  }
#endif
