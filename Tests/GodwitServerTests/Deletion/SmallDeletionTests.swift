import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Smaller cases of deletion and access", .timeLimit(.minutes(20)))
struct SmallDeletionTests {
  // A token with the scope admin can create tokens.
  @Test("revoking a token revokes all tokens that were created with it, directly or indirectly", arguments: StoreKind.tested)
  func children(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      func make(_ caller: AccountServer.Caller, _ scope: String) throws -> (id: String, caller: AccountServer.Caller) {
        let made = server.send("POST", "/api/v1/tokens", as: caller, body: #"{"name":"t","scope":"\#(scope)"}"#)
        let secret = try #require(made.object["token"] as? String, "\(made.text)")
        return (try #require(made.object["id"] as? String), .bearing(secret))
      }
      let parent = try make(anna, "admin")
      let child = try make(parent.caller, "admin")
      let grandchild = try make(child.caller, "read")
      let other = try make(anna, "read")
      let device = server.send("POST", "/api/v1/devices", as: child.caller, body: #"{"name":"annas-phone"}"#)
      let sending = AccountServer.Caller.bearing(try #require(device.object["token"] as? String))
      #expect(server.send("GET", "/api/overland", as: sending).status == 200)
      #expect(server.send("DELETE", "/api/v1/tokens/\(parent.id)", as: anna).status == 200)
      for caller in [parent.caller, child.caller, grandchild.caller] {
        #expect(server.send("GET", "/api/v1/devices", as: caller).status == 401)
      }
      #expect(server.send("GET", "/api/v1/devices", as: other.caller).status == 200)
      let good = try server.server.store.device(tokenHash: AccessToken(try #require(device.object["token"] as? String)).hash)
      #expect(good == nil)
      #expect(server.send("GET", "/api/overland", as: users.annasPhone.caller).status == 200)
    }
  }

  // Some filters of libarchive run other programs.
  @Test("an archive never makes the server run another program")
  func filters() async throws {
    let place = try ContractStore(.sqlite)
    defer { place.end() }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    // The magic number of lrzip. libarchive reads this format by running the lrzip program.
    try Data(Array("LRZI".utf8) + [0, 6] + [UInt8](repeating: 0, count: 600)).write(to: URL(fileURLWithPath: path))
    var message = ""
    do { _ = try await Restore(into: place.store, named: "new").read(path, folder: nil) } catch { message = "\(error)" }
    #expect(message.contains("it is not a backup") && !message.contains("spawn") && !message.contains("lrzip"), "\(message)")
  }

  // The name of such a region would reveal a place of the administrator to the members.
  @Test("a region of the administrator is sent to members' devices only by a rule", arguments: StoreKind.tested)
  func regions(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let admin = try await server.session(of: users.admin)
      let region = #"{"name":"ADMIN HOME","center":{"latitude":46,"longitude":14},"radius":200,"tags":["home"]}"#
      #expect(server.send("PUT", "/api/v1/regions/home", as: admin, body: region).status < 300)
      // The server does not evaluate the region for the member's device. It evaluates regions until a device has synced them.
      let start = Date(timeIntervalSinceNow: -600)
      try server.upload(users.annasPhone.caller, [(46.01, 14), (46, 14), (46, 14)], from: start)
      try server.upload(users.adminsPhone.caller, [(46.01, 14), (46, 14), (46, 14)], from: start)
      let evaluated = try server.server.store.read { try $0.all("SELECT device FROM region_events") { $0.integer(0) } }
      #expect(evaluated == [users.adminsPhone.device.id])
      func receivesRegion(_ phone: AccountServer.Caller) -> Bool {
        server.send("GET", "/api/regions", as: phone).text.contains("ADMIN HOME")
      }
      #expect(receivesRegion(users.adminsPhone.caller) && !receivesRegion(users.annasPhone.caller))
      #expect(server.send("PUT", "/api/v1/devices/annas-phone/regions", as: admin, body: #"{"tags":["home"]}"#).status == 200)
      #expect(receivesRegion(users.annasPhone.caller))
      #expect(server.send("DELETE", "/api/v1/devices/annas-phone/regions", as: admin).status == 200)
      #expect(!receivesRegion(users.annasPhone.caller))
      // A device that is assigned to the administrator receives the region.
      try await server.give(users.bensPhone.device, to: nil)
      #expect(receivesRegion(users.bensPhone.caller))
    }
  }
}
