import Foundation
import TestParts
import Testing

/// Runs schemathesis, which sends thousands of requests and compares the responses with the OpenAPI document.
@Suite(
  "The server conforms to its OpenAPI document", .serialized, .timeLimit(.minutes(20)),
  .enabled(if: TestPart.schemathesis.isRun, "\(TestPart.schemathesis.reason)"))
struct OpenAPIConformanceTests {
  /// The principal of the requests, which selects the tested part of the document.
  enum Caller: String, CaseIterable, Sendable { case administrator, member, device }

  @Test(
    "for every principal: documented statuses, types, bodies and methods, no failures, and no access without a token",
    arguments: Caller.allCases)
  func conformance(_ caller: Caller) async throws {
    let server = try await ServerWithOptions()
    let base = "http://127.0.0.1:\(server.port)"
    let administrator = try server.administratorToken
    let token: String
    switch caller {
    case .administrator: token = administrator
    case .device: token = server.token
    case .member:
      for (path, body) in [
        ("users", #"{"name":"boss","password":"correct horse"}"#), ("users", #"{"name":"anna","password":"correct horse"}"#),
      ] {
        let made = try ServerWithOptions.curl([
          "-H", "Authorization: Bearer \(administrator)", "-d", body, "\(base)/api/v1/\(path)",
        ])
        #expect(made.text.contains(#""created""#), "\(made.text)")
      }
      let signed = try ServerWithOptions.curl([
        "-i", "-d", #"{"name":"anna","password":"correct horse"}"#, "\(base)/api/v1/session",
      ])
      let session = try #require(signed.text.firstMatch(of: #/godwit_session=([^;]+)/#)?.1, "\(signed.text)")
      let made = try ServerWithOptions.curl([
        "-b", "godwit_session=\(session)", "-H", "Sec-Fetch-Site: same-origin", "-d", #"{"name":"test","scope":"admin"}"#,
        "\(base)/api/v1/tokens",
      ])
      let object = try #require(JSONSerialization.jsonObject(with: made.output) as? [String: Any], "\(made.text)")
      token = try #require(object["token"] as? String)
    }
    let settings = server.folder.path("schemathesis.toml")
    try "[parameters]\n\"path.name\" = \"phone\"\n".write(toFile: settings, atomically: true, encoding: .utf8)
    // Excluded: `events`, which is an endless stream, and checks of accepted and rejected data. The server accepts more than the document
    // describes, and has rules that a schema cannot express.
    let program = try #require(TestPart.schemathesis.file)
    let result = try Executable.run(
      // In the folder of the test, because schemathesis writes files to its working directory.
      try #require(Executable.find("env")),
      [
        "-C", server.folder.url.path, program.path, "--config-file", settings, "run", "\(base)/api/v1/openapi.json",
        "-H", "Authorization: Bearer \(token)", "--checks", "all",
        "--exclude-checks", "negative_data_rejection,positive_data_acceptance,missing_required_header",
        "--exclude-operation-id", "events",
        "--seed", "1", "--phases", "examples,coverage,fuzzing", "--max-examples", "2",
        "--workers", "1", "--continue-on-failure", "--no-color", "--generation-database", "none", "--request-timeout", "30",
        "--warnings", "off",
      ] + (caller == .device ? ["--include-tag", "protocols", "--include-tag", "regions"] : []), seconds: 1200)
    #expect(result.status == 0, "\(result.text.suffix(6000)) \(result.errorOutput.suffix(1000))")
    #expect(result.text.contains("test cases") || result.text.contains("Test cases"))
    try await server.stop()
  }
}
