import Foundation
import GodwitModel
import TestClient
import TestParts
import Testing

@Suite("A geofence, a replayed walk and a webhook, with the real executable", .serialized)
struct WebhookTests {
  @Test(
    "crossings of a geofence by a replayed walk are delivered to its webhook once, signed and in order, despite a kill",
    .timeLimit(.minutes(20)), .enabled(if: TestPart.openssl.isRun, "\(TestPart.openssl.reason)"))
  func crossing() async throws {
    let server = try await RunningServer()
    let walk = try Walk.points().sorted { $0.time < $1.time }
    let middle = walk[walk.count / 2]
    let center = try #require(Coordinate(latitude: middle.latitude, longitude: middle.longitude))
    let expected = Walk.crossings(of: walk, center)
    #expect(expected.count >= 2)
    // The first delivery fails, and the server is killed while it waits for the next attempt.
    let address = try WebhookSink { number in number == 1 ? 503 : 200 }
    let origin = "http://127.0.0.1:\(server.port)"
    let fence = #"{"id":"bend","center":{"latitude":\#(middle.latitude),"longitude":\#(middle.longitude)},"radius":100}"#
    #expect(try await ask("PUT", origin + "/api/v1/regions/bend", fence, token: server.administratorToken).status < 300)
    let made = try await ask(
      "POST", origin + "/api/v1/webhooks", #"{"url":"http://127.0.0.1:\#(address.port)/hook"}"#, token: server.administratorToken)
    let secret = try #require(made.object["secret"] as? String)
    let tracked = try Executable.run([
      "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", server.endpoint, "--token", server.token,
      "--journal", server.folder.path("journal"), "--until-sent",
    ])
    #expect(tracked.status == 0, "\(tracked.errorOutput)")
    try await server.background.wait("the first delivery") { address.deliveries.first }
    try await server.killAndRestart()
    try await server.background.wait("the deliveries") { address.accepted.count >= expected.count ? true : nil }
    let deliveries = address.accepted
    #expect(deliveries.map { "\($0.object["type"] ?? "") \($0.object["time"] ?? "")" } == expected)
    #expect(deliveries.first?.event == address.deliveries.first?.event)
    for delivery in deliveries { #expect(try delivery.isSigned(with: secret, in: server.folder)) }
    #expect(try await server.stop() == 0)
    #expect(Set(address.accepted.map(\.event)).count == expected.count && address.accepted.count == expected.count)
    await address.stop()
  }
}
