import Foundation
import TestParts
import Testing

@Suite(
  "A server with TLS", .enabled(if: TestPart.openssl.isRun, "\(TestPart.openssl.reason)"), .serialized, .timeLimit(.minutes(20)))
struct SecureServerTests {
  /// Writes a certificate for this machine and its key.
  private static func issue(_ name: String, in folder: TemporaryFolder, key: [String] = ["-newkey", "rsa:2048"]) throws {
    let made = try Executable.run(
      try #require(Executable.find("openssl")),
      ["req", "-x509"] + key + [
        "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
        folder.path("\(name).key"), "-out", folder.path("\(name).crt"),
      ])
    #expect(made.status == 0, "\(made.errorOutput)")
  }

  private static func copy(_ name: String, as other: String, in folder: TemporaryFolder) throws {
    for ending in ["crt", "key"] {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("\(name).\(ending)")))
      try data.write(to: URL(fileURLWithPath: folder.path("\(other).\(ending)")), options: .atomic)
    }
  }

  private static func options(_ name: String, in folder: TemporaryFolder) -> [String] {
    ["--tls-certificate", folder.path("\(name).crt"), "--tls-key", folder.path("\(name).key")]
  }

  @Test(
    "requests are answered over TLS, with RSA and ECDSA keys",
    arguments: [["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]])
  func served(_ key: [String]) async throws {
    let folder = try TemporaryFolder()
    try Self.issue("mine", in: folder, key: ["-newkey"] + key)
    let server = try await ServerWithOptions(Self.options("mine", in: folder), in: folder)
    #expect(server.background.errorOutput.contains("https://"))
    let trusting = ["--cacert", folder.path("mine.crt")]
    let base = "https://localhost:\(server.port)"
    #expect(try ServerWithOptions.curl(trusting + ["\(base)/healthz"]).text.contains(#""status":"ok""#))
    let body =
      #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"#
      + #""properties":{"timestamp":"2026-11-20T08:30:00Z"}}]}"#
    let sent = try ServerWithOptions.curl(
      trusting + ["-H", "Authorization: Bearer \(server.token)", "-d", body, "\(base)/api/overland"])
    #expect(sent.text.contains(#""saved":1"#), "\(sent.text)")
    // A long response.
    let long = try ServerWithOptions.curl(trusting + ["\(base)/api/v1/openapi.json"])
    #expect((try JSONSerialization.jsonObject(with: long.output) as? [String: Any])?["openapi"] as? String == "3.1.0")
    // The cookie is sent only over TLS.
    let token = try server.administratorToken
    let page = try ServerWithOptions.curl(trusting + ["-i", "\(base)/?token=\(token)"])
    #expect(page.text.contains("; Secure"))
    // TLS versions before 1.2 and plain HTTP are rejected.
    for (version, isAccepted) in [("1.1", false), ("1.2", true), ("1.3", true)] {
      let response = try ServerWithOptions.curl(
        trusting + ["--tlsv\(version)", "--tls-max", version, "--ciphers", "DEFAULT@SECLEVEL=0", "\(base)/healthz"])
      #expect((response.status == 0) == isAccepted, "TLS \(version): \(response.status)")
    }
    // Only ciphers with forward secrecy and authenticated encryption are accepted.
    let signature = key.first == "ec" ? "ECDSA" : "RSA"
    for (cipher, isAccepted) in [
      ("ECDHE-\(signature)-AES128-GCM-SHA256", true), ("ECDHE-\(signature)-CHACHA20-POLY1305", true),
      ("ECDHE-\(signature)-AES128-SHA", false), ("ECDHE-\(signature)-AES256-SHA384", false), ("AES128-SHA", false),
      ("AES256-GCM-SHA384", false), ("DHE-RSA-AES128-SHA256", false),
    ] {
      let response = try ServerWithOptions.curl(
        trusting + ["--tls-max", "1.2", "--ciphers", "\(cipher):@SECLEVEL=0", "\(base)/healthz"])
      #expect((response.status == 0) == isAccepted, "\(cipher): \(response.status)")
    }
    #expect(try ServerWithOptions.curl(["http://127.0.0.1:\(server.port)/healthz"]).status != 0)
    try await server.stop()
  }

  @Test("a renewed certificate is used without a restart; an invalid one keeps the old one in use")
  func renewed() async throws {
    let folder = try TemporaryFolder()
    for name in ["first", "second"] { try Self.issue(name, in: folder) }
    try Self.copy("first", as: "live", in: folder)
    let server = try await ServerWithOptions(Self.options("live", in: folder), in: folder)
    func isShown(_ name: String) throws -> Bool {
      try ServerWithOptions.curl(["--cacert", folder.path("\(name).crt"), "https://localhost:\(server.port)/healthz"]).status == 0
    }
    #expect(try isShown("first"))
    #expect(!(try isShown("second")))
    // The new certificate does not match the key: the old one stays in use, and an error is logged.
    try Data(contentsOf: URL(fileURLWithPath: folder.path("second.crt"))).write(
      to: URL(fileURLWithPath: folder.path("live.crt")), options: .atomic)
    try await server.background.wait("the error") { server.background.errorOutput.contains("stays in use") ? true : nil }
    #expect(server.background.errorOutput.contains("does not match the certificate"))
    #expect(try isShown("first"))
    try Self.copy("second", as: "live", in: folder)
    try await server.background.wait("the renewal") { server.background.errorOutput.contains("was renewed") ? true : nil }
    #expect(try isShown("second"))
    #expect(!(try isShown("first")))
    try await server.stop()
  }

  @Test("the doctor finds the server over TLS, with the files of the configuration, the environment or the options")
  func doctor() async throws {
    let folder = try TemporaryFolder()
    for name in ["mine", "other"] { try Self.issue(name, in: folder) }
    let server = try await ServerWithOptions(Self.options("mine", in: folder), in: folder, listen: "127.0.0.1:0")
    let (certificate, key) = (folder.path("mine.crt"), folder.path("mine.key"))
    func results(_ environment: [String: String], _ options: [String] = []) throws -> [String: [String: Any]] {
      let found = try Executable.run(
        ["doctor", "--server", "--json", "--data", server.data, "--listen", "127.0.0.1:\(server.port)"] + options,
        environment: environment)
      let list = try #require(JSONSerialization.jsonObject(with: found.output) as? [[String: Any]], "\(found.errorOutput)")
      return Dictionary(list.map { ($0["subject"] as? String ?? "", $0) }) { $1 }
    }
    let file = folder.path("godwit.yaml")
    try "serve:\n  tls-certificate: \(certificate)\n  tls-key: \(key)\n".write(toFile: file, atomically: true, encoding: .utf8)
    let none = ["GODWIT_CONFIG": "/dev/null"]
    let variables = none.merging(["GODWIT_TLS_CERTIFICATE": certificate, "GODWIT_TLS_KEY": key]) { $1 }
    let options = ["--certificate", certificate, "--key", key]
    for found in [try results(["GODWIT_CONFIG": file]), try results(variables), try results(none, options)] {
      #expect((found["Port"]?["text"] as? String)?.hasPrefix("godwit ") == true, "\(found)")
      #expect((found["Certificate"]?["text"] as? String)?.hasPrefix(certificate) == true, "\(found)")
      #expect(found["Key"]?["ok"] as? Bool == true, "\(found)")
    }
    let other = try results(none, ["--certificate", folder.path("other.crt")])
    #expect(other["Port"]?["ok"] as? Bool == false, "\(other)")
    #expect((other["Port"]?["text"] as? String)?.contains("does not answer over TLS with the key of") == true, "\(other)")
    // The options of a server are an error without --server, but not in the configuration.
    let tracker = try Executable.run(["doctor", "--data", server.data], environment: ["GODWIT_CONFIG": file])
    #expect(tracker.status != 2, "\(tracker)")
    #expect(try Executable.run(["doctor", "--key", key], environment: none).status == 2)
    try await server.stop()
  }

  @Test("invalid certificate files are reported by name, with a remedy, and the server does not start")
  func wrong() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try Self.issue(name, in: folder) }
    try Data("nothing\n".utf8).write(to: URL(fileURLWithPath: folder.path("text")))
    for (certificate, key, message) in [
      ("a.crt", "b.key", "does not match the certificate"), ("none.crt", "a.key", "none.crt does not exist"),
      ("a.crt", "none.key", "none.key does not exist"), ("text", "a.key", "text is not a certificate"),
      ("a.crt", "text", "text is not a private key"), ("a.key", "a.key", "a.key is not a certificate"),
    ] {
      let result = try Executable.run([
        "serve", "--listen", "127.0.0.1:0", "--data", folder.path("data"), "--tls-certificate", folder.path(certificate),
        "--tls-key", folder.path(key),
      ])
      #expect(result.status == 1 && result.errorOutput.contains(message), "\(certificate) \(key): \(result.errorOutput)")
    }
    let half = try Executable.run(["serve", "--data", folder.path("data"), "--tls-key", folder.path("a.key")])
    #expect(half.status == 2 && half.errorOutput.contains("belong together"))
  }
}
