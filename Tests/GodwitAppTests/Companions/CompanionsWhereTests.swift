import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("Location query at the server")
@MainActor
struct CompanionsWhereTests {
  private func actions(_ server: HistoryServer, token: String? = "read-1") throws -> AppActions {
    let state = closedState { $0.environment.client = server.client }
    let address = "https://home.example/godwit/api/overland"
    state.perform(.servers(ServerList([StoredServer(id: "home", name: "My home", address: address)])))
    try state.services.credentials.setToken("send-1", "home")
    try state.services.credentials.setToken(token, "home reading")
    return AppActions(state, TripModel(state))
  }

  @Test("the nearest position within half an hour is returned with its own time")
  func found() async throws {
    let yesterday = noon.addingTimeInterval(-86_400)
    let server = HistoryServer(path(from: yesterday, count: 3, every: 1_200, speed: 0))
    let actions = try actions(server)
    #expect(await actions.whereWasI(at: yesterday.addingTimeInterval(700)) == "19 Nov, 12:20: you were at 45.50000, 14.00000.")
    #expect(server.pointRequests.last?["device"] == "phone +1")
    #expect(
      await actions.whereWasI(at: yesterday.addingTimeInterval(-1_801))
        == "No position near 19 Nov, 11:29 is on this phone or on your server.")
  }

  @Test("an error that prevents an answer is reported as a sentence")
  func problems() async throws {
    let server = HistoryServer()
    let before = noon.addingTimeInterval(-3_600)
    #expect(await (try actions(server)).whereWasI(at: noon.addingTimeInterval(3_600)) == "20 Nov, 13:00 is yet to come.")
    let alone = try actions(server, token: nil)
    #expect(await alone.whereWasI(at: before) == "No position near 20 Nov, 11:00 is on this phone.")
    #expect(server.requests.isEmpty, "without a token nothing is asked")
    server.reply { _ in throw HTTPError("The host was not found.") }
    #expect(
      await (try actions(server)).whereWasI(at: before)
        == "No position near 20 Nov, 11:00 is on this phone. The server cannot be reached. The host was not found.")
    server.reply { _ in HTTPClient.Response(status: 200, body: Array("{}".utf8)) }
    #expect(await (try actions(server)).whereWasI(at: before).hasSuffix("The server's answer is not a track."))
  }
}
