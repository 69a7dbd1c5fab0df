import Foundation
import GodwitModel
import GodwitServer
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A fence, a replayed walk and a webhook, with the real executable", .serialized)
struct WebhookTests {
  @Test(
    "a fence that is made over HTTP is crossed by a replayed walk: its webhook is told each time, signed, once, in order, though the server is killed",
    .timeLimit(.minutes(2)), .enabled(if: Executable.find("openssl") != nil, "openssl is not installed (Debian: openssl)"))
  func crossing() async throws {
    let server = try await RunningServer()
    let walk = try Walk.points().sorted { $0.time < $1.time }
    let middle = walk[walk.count / 2]
    let center = try #require(Coordinate(latitude: middle.latitude, longitude: middle.longitude))
    let expected = crossings(of: walk, center)
    #expect(expected.count >= 2)
    // The first letter is refused for now, and the server dies while it waits for better times.
    let address = try Address { number in number == 1 ? 503 : 200 }
    let origin = "http://127.0.0.1:\(server.port)"
    let fence = #"{"id":"bend","center":{"latitude":\#(middle.latitude),"longitude":\#(middle.longitude)},"radius":100}"#
    #expect(try await ask("PUT", origin + "/api/regions/bend", fence).status < 300)
    let made = try await ask("POST", origin + "/api/webhooks", #"{"url":"http://127.0.0.1:\#(address.port)/hook"}"#)
    let secret = try #require(made.object["secret"] as? String)
    let tracked = try Executable.run([
      "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", server.endpoint, "--token", server.token,
      "--journal", server.folder.path("journal"), "--until-sent",
    ])
    #expect(tracked.status == 0, "\(tracked.notes)")
    try await server.background.wait("the first letter") { address.letters.first }
    try await server.killAndRestart()
    try await server.background.wait("the letters") { address.accepted.count >= expected.count ? true : nil }
    let letters = address.accepted
    #expect(letters.map { "\($0.object["type"] ?? "") \($0.object["time"] ?? "")" } == expected)
    #expect(letters.first?.event == address.letters.first?.event)
    for letter in letters {
      let parts = letter.signature.split(separator: ",").map { String($0.split(separator: "=")[1]) }
      let file = server.folder.path("signed")
      try Data("\(parts[0]).".utf8 + letter.body).write(to: URL(fileURLWithPath: file))
      let digest = try Executable.run(
        try #require(Executable.find("openssl")), ["dgst", "-sha256", "-hmac", secret, "-r", file])
      #expect(digest.text.hasPrefix(parts[1] + " "), "\(digest.text)")
    }
    #expect(try await server.stop() == 0)
    #expect(Set(address.accepted.map(\.event)).count == expected.count && address.accepted.count == expected.count)
    await address.stop()
  }

  /// In by less than 100 m, out by more than 120 m: the walk says nothing of its accuracy.
  private func crossings(of walk: [Walk.Point], _ center: Coordinate) -> [String] {
    var isInside = false
    var events: [String] = []
    for point in walk {
      guard let place = Coordinate(latitude: point.latitude, longitude: point.longitude) else { continue }
      let distance = GreatCircle.distance(center, place)
      if isInside ? distance > 120 : distance <= 100 {
        isInside.toggle()
        events.append("geofence.\(isInside ? "entered" : "exited") \(RFC3339.string(point.time))")
      }
    }
    return events
  }

  private func ask(_ method: String, _ address: String, _ body: String) async throws -> (status: Int, object: [String: Any]) {
    var request = URLRequest(url: try #require(URL(string: address)))
    request.httpMethod = method
    request.httpBody = Data(body.utf8)
    let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
    let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    return (try #require(response as? HTTPURLResponse).statusCode, object)
  }
}

/// Where the letters go.
private final class Address: Sendable {
  struct Letter: Sendable {
    var event: String
    var signature: String
    var body: [UInt8]
    var status: Int
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }
  }

  private final class Box: Sendable { let letters = Mutex<[Letter]>([]) }
  private let box = Box()
  private let server: HTTPServer
  let port: UInt16

  /// - Parameter status: of the answer to the letter of a number, from 1.
  init(_ status: @escaping @Sendable (Int) -> Int) throws {
    let box = box
    server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: HTTPServer.Handler(
        accept: { _ in nil },
        respond: { exchange in
          let status = box.letters.withLock { letters in
            let status = status(letters.count + 1)
            letters.append(
              Letter(
                event: exchange.header("Godwit-Event-ID") ?? "", signature: exchange.header("Godwit-Signature") ?? "",
                body: exchange.takeBody(), status: status))
            return status
          }
          return .now(.json([], status: status))
        }))
    port = try server.start()
  }

  var letters: [Letter] { box.letters.withLock { $0 } }
  var accepted: [Letter] { letters.filter { $0.status == 200 } }

  func stop() async {
    server.beginStopping()
    await server.stop(within: 1)
  }
}
