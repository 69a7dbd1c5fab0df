import Foundation
import TestClient
import Testing

@Suite("Regions of other members")
struct RegionPrivacyTests {
  @Test("a transition with the id of another member's region does not reveal that region")
  func transition() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let waypoint =
        #"{"_type":"waypoint","desc":"Secret clinic","lat":66.123,"lon":14.321,"rad":77,"tst":1795000000,"rid":"a1b2c3"}"#
      #expect(server.send("POST", "/pub", as: users.annasPhone.caller, body: waypoint).status == 200)
      let transition =
        #"{"_type":"transition","event":"enter","rid":"a1b2c3","desc":"x","tst":1795990000,"wtst":1795000000,"lat":66,"lon":14,"acc":5}"#
      for phone in [users.annasPhone, users.bensPhone] {
        #expect(server.send("POST", "/pub", as: phone.caller, body: transition).status == 200)
      }
      let own = server.send("GET", "/api/v1/region-events", as: try await server.session(of: users.anna))
      #expect(own.text.contains("Secret clinic"), "\(own.text)")
      let other = server.send("GET", "/api/v1/region-events", as: try await server.session(of: users.ben))
      #expect(other.list("events").count == 1)
      #expect(!other.text.contains("clinic") && !other.text.contains("66.123"), "\(other.text)")
    }
  }
}
