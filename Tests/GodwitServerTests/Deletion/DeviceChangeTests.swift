import Foundation
import GodwitAccounts
import GodwitHistory
import GodwitModel
import TestClient
import Testing

@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore

@Suite("Changes of devices", .timeLimit(.minutes(20)))
struct DeviceChangeTests {
  @Test("a rename applies everywhere, and the app continues with its token", arguments: StoreKind.tested)
  func rename(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillAll()
      let path = "/api/v1/devices/annas-phone/name"
      for (body, status) in [
        (#"{"name":"-"}"#, 422), (#"{"name":"annas-watch"}"#, 409), (#"{"name":"bens-phone"}"#, 409), (#"{}"#, 422),
      ] {
        #expect(server.send("PUT", path, as: scene.anna, body: body).status == status, "\(body)")
      }
      #expect(server.send("PUT", path, as: scene.ben, body: #"{"name":"mine"}"#).status == 404)
      let done = server.send("PUT", path, as: scene.anna, body: #"{"name":"Pixel 9"}"#)
      #expect(done.status == 200 && done.object["device"] as? String == "Pixel 9", "\(done.text)")
      try server.upload(scene.users.annasPhone.caller, [(46.5, 14.1)], from: DeletionScene.start.addingTimeInterval(7200))
      try await scene.store.processBacklog()
      for path in [
        "devices", "points", "links", "region-events", "device-health", "devices/Pixel 9/settings",
        "devices/Pixel 9/retention",
        "devices/Pixel 9/mqtt-topics", "regions", "rejected",
      ] {
        let response = server.send("GET", "/api/v1/" + path, as: scene.admin)
        #expect(response.status == 200 && !response.text.contains("annas-phone"), "\(path): \(response.text)")
      }
      #expect(server.send("GET", "/api/v1/points?device=Pixel%209", as: scene.anna).features.count == 60, "one is flagged")
      #expect(server.send("GET", "/api/v1/regions/annas", as: scene.admin).text.contains("owntracks:Pixel 9"))
      let line = try #require(try server.log().last { $0.action == "PUT /api/v1/devices/NAME/name" })
      #expect(line.subject == "annas-phone")
    }
  }

  @Test("webhooks of a device follow its rename and its merge, and an undo restores them", arguments: StoreKind.tested)
  func webhooks(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      let selections = [
        #"["annas-watch"]"#, #"["annas-watch","annas-phone"]"#, #"["annas-phone","annas-watch","bens-phone"]"#, "[]",
      ]
      for devices in selections {
        let body = #"{"url":"http://127.0.0.1:9/","tags":["annas-watch"],"batch":7,"devices":\#(devices)}"#
        #expect(server.send("POST", "/api/v1/webhooks", as: scene.admin, body: body).status < 300)
      }
      func filters() -> [[String]] {
        let webhooks = server.send("GET", "/api/v1/webhooks", as: scene.admin).list("webhooks")
        #expect(webhooks.allSatisfy { $0["tags"] as? [String] == ["annas-watch"] && $0["batch"] as? Int == 7 }, "\(webhooks)")
        return webhooks.map { $0["devices"] as? [String] ?? [] }
      }
      let renamed = server.send("PUT", "/api/v1/devices/annas-watch/name", as: scene.anna, body: #"{"name":"Uhr 2"}"#)
      #expect(renamed.status == 200, "\(renamed.text)")
      #expect(filters() == [["Uhr 2"], ["Uhr 2", "annas-phone"], ["annas-phone", "Uhr 2", "bens-phone"], []])
      let merged = server.send("POST", "/api/v1/devices/Uhr 2/merge", as: scene.anna, body: #"{"into":"annas-phone"}"#)
      #expect(merged.status == 200, "\(merged.text)")
      #expect(filters() == [["annas-phone"], ["annas-phone"], ["annas-phone", "bens-phone"], []])
      let entry = try #require(merged.object["trash"] as? String)
      let undone = server.send("POST", "/api/v1/trash/\(entry)/undo", as: scene.anna)
      #expect(undone.status == 200, "\(undone.text)")
      #expect(filters() == [["Uhr 2"], ["annas-phone", "Uhr 2"], ["annas-phone", "bens-phone", "Uhr 2"], []])
    }
  }

  @Test("a color and an icon are shown with the device, and an invalid one is rejected", arguments: StoreKind.tested)
  func appearance(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      let path = "/api/v1/devices/annas-phone/look"
      for body in [##"{"color":"red"}"##, ##"{"color":"#12345g"}"##, ##"{"icon":"ufo"}"##] {
        #expect(server.send("PUT", path, as: scene.anna, body: body).status == 422, "\(body)")
      }
      let set = server.send("PUT", path, as: scene.anna, body: ##"{"color":"#AB12cd","icon":"bicycle"}"##)
      #expect(set.status == 200 && set.object["color"] as? String == "#ab12cd", "\(set.text)")
      func shown() -> [String: Any] {
        server.send("GET", "/api/v1/devices", as: scene.anna).list("devices").first { $0["name"] as? String == "annas-phone" }
          ?? [:]
      }
      #expect(shown()["color"] as? String == "#ab12cd" && shown()["icon"] as? String == "bicycle")
      #expect(server.send("PUT", path, as: scene.anna, body: "{}").status == 200)
      #expect(shown()["color"] is NSNull && shown()["icon"] is NSNull)
    }
  }

  @Test(
    "two devices are merged: points, journals and tokens; uploads to the merged device are stored",
    arguments: StoreKind.tested)
  func merge(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillAll()
      let watch = scene.users.annasWatch
      // The same app under another name: the journal continues, and two of the records are also in the phone's data.
      let more = try (59...120).map { try DeletionScene.fix($0) }
      _ = try await scene.store.store(
        more, of: watch.device, range: SequenceRange(journal: DeletionScene.journal, numbers: 59...120, since: 1),
        at: DeletionScene.start.addingTimeInterval(7300))
      try await scene.store.processBacklog()
      let path = "/api/v1/devices/annas-watch/merge"
      for (body, status) in [(#"{"into":"annas-watch"}"#, 400), (#"{"into":"nothing"}"#, 404), (#"{"into":"bens-phone"}"#, 404)] {
        #expect(server.send("POST", path, as: scene.anna, body: body).status == status, "\(body)")
      }
      let others = server.send("POST", path, as: scene.admin, body: #"{"into":"bens-phone"}"#)
      #expect(others.status == 409, "\(others.text)")
      let before = server.send("GET", "/api/v1/export?device=annas-watch&format=geojson", as: scene.anna).text
      let phone = server.send("GET", "/api/v1/export?device=annas-phone&format=geojson", as: scene.anna).text
      let dry = server.send("POST", path, as: scene.anna, body: #"{"into":"annas-phone","dry_run":true}"#)
      #expect(scene.counts(dry)["points"] == 62 && dry.object["dry_run"] as? Bool == true, "\(dry.text)")
      let done = server.send("POST", path, as: scene.anna, body: #"{"into":"annas-phone"}"#)
      #expect(done.status == 200 && scene.counts(done)["points"] == 62 && scene.counts(done)["devices"] == 1, "\(done.text)")
      let entry = try #require(done.object["trash"] as? String)
      #expect(try scene.rows(of: watch.device.id) == [:])
      #expect(try scene.store.devices().first { $0.device.id == scene.phone.id }?.points == 120)
      let journals = server.send("GET", "/api/v1/journals?device=annas-phone", as: scene.anna).list("journals")
      #expect(journals.count == 1 && journals.first?["missing_count"] as? Int == 0, "\(journals)")
      // The app still uploads with the token of the merged device.
      try server.upload(watch.caller, [(46.7, 14.2)], from: DeletionScene.start.addingTimeInterval(9000))
      #expect(try scene.store.devices().first { $0.device.id == scene.phone.id }?.points == 121)
      // A server may have the merged device in its cache.
      let late = try DeletionScene.fix(121)
      #expect(try await scene.store.store([late], of: watch.device).saved == 1)
      #expect(try scene.store.devices().first { $0.device.id == scene.phone.id }?.points == 122)
      let undone = server.send("POST", "/api/v1/trash/\(entry)/undo", as: scene.anna)
      #expect(undone.status == 200, "\(undone.text)")
      try await scene.store.processBacklog()
      #expect(server.send("GET", "/api/v1/export?device=annas-watch&format=geojson", as: scene.anna).text == before)
      let after = server.send("GET", "/api/v1/export?device=annas-phone&format=geojson", as: scene.anna).text
      #expect(after.hasPrefix(String(phone.dropLast(4))), "followed by the two points that were stored after the merge")
      try server.upload(watch.caller, [(46.8, 14.2)], from: DeletionScene.start.addingTimeInterval(9600))
      #expect(try scene.store.devices().first { $0.device.id == watch.device.id }?.points == 63)
    }
  }
}
