import Foundation
import Testing

/// `godwit serve` with one device and additional options, which listens on all addresses by default.
final class ServerWithOptions {
  let folder: TemporaryFolder
  let data: String
  /// The token of the device.
  let token: String
  private(set) var port: UInt16 = 0
  let background: Background

  /// - Parameters:
  ///   - options: additional options of `godwit serve`.
  ///   - folder: the folder of its files; `nil`: a temporary folder.
  ///   - listen: the address of the server.
  init(_ options: [String] = [], in folder: TemporaryFolder? = nil, listen: String = "0.0.0.0:0") async throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    data = folder.path("data")
    let added = try Executable.run(["device", "add", "phone", "--data", data, "--json"])
    #expect(added.status == 0, "\(added.errorOutput)")
    let object = try #require(JSONSerialization.jsonObject(with: added.output) as? [String: Any])
    token = try #require(object["token"] as? String)
    background = try Background(Executable.godwit, ["serve", "--listen", listen, "--data", data] + options, in: folder)
    port = try await background.wait("the server to listen") { [background] in
      background.errorOutput.firstMatch(of: #/the map: https?://[^\s/]*:(\d+)//#).flatMap { UInt16($0.1) }
    }
  }

  /// The administrator token.
  var administratorToken: String {
    get throws { try String(contentsOfFile: data + "/admin-token", encoding: .utf8).trimmingCharacters(in: .newlines) }
  }

  /// Interrupts the server, and expects exit status 0.
  func stop() async throws {
    background.interrupt()
    #expect(try await background.waitForEnd() == 0)
  }

  /// Runs curl, and returns its exit status and output.
  static func curl(_ arguments: [String]) throws -> Executable.Result {
    try Executable.run(try #require(Executable.find("curl")), ["-s", "--max-time", "20"] + arguments)
  }
}
