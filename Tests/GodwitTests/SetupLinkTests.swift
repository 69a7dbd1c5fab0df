import Godwit
import GodwitEngine
import GodwitModel
import Testing

@Suite("Set-up links")
struct SetupLinkTests {
  @Test(
    "Overland's link and Godwit's have the address, the token and the device's name",
    arguments: ["overland", "godwit", "OVERLAND"])
  func read(_ scheme: String) throws {
    let link = try SetupLink(
      link: "\(scheme)://setup?url=https%3A%2F%2Fexample.org%2Fapi%3Fa%3D1&token=a-b_c&device_id=my%20phone&unique_id=yes")
    #expect(link.address == "https://example.org/api?a=1")
    #expect(link.token == "a-b_c" && link.format == nil)
    let settings = try link.changed(Settings())
    #expect(settings.deviceID == "my phone" && settings.includesUniqueID)
    #expect(try link.changes(of: Settings()).map(\.name).sorted() == ["device_id", "unique_id"])
    #expect(try link.changes(of: settings).isEmpty)
  }

  @Test("every setting can be in a link, and the text of a link parses to the same link", arguments: Settings.table.map(\.name))
  func everySetting(_ name: String) throws {
    let entry = try #require(Settings.entry(name))
    let values: [SettingValue] =
      switch entry.kind {
      case .choice(let words): words.map { .text($0) }
      case .number(let numbers): numbers.map { .number(Double($0)) }
      case .flag: [.flag(true), .flag(false)]
      case .text: [.text("a name & more; 100 %")]
      case .list:
        name == "wifi_zones"
          ? [.list(["Home@52.5163,13.3777", "a, b@0.0,-0.5"]), .list([])] : [.list(["main", "trip.min_time"])]
      }
    for value in values {
      let link = SetupLink(address: "https://example.org/", settings: [DesiredSetting(name: name, value: value)])
      let read = try SetupLink(link: link.text())
      #expect(read == link)
      var expected = Settings()
      try expected.set(name, to: value)
      #expect(try read.changed(Settings()) == expected)
    }
  }

  @Test(
    "an invalid link is rejected with the invalid part",
    arguments: [
      ("", "This is not a set-up link"), ("https://setup?url=https://a.example", "This is not a set-up link"),
      ("overland://open?url=https://a.example", "This is not a set-up link"), ("godwit://setup", "contains no settings"),
      ("godwit://setup?", "contains no settings"), ("godwit://setup?url=", "not an address of a web server"),
      ("godwit://setup?url=ftp://a.example", "not an address of a web server"),
      ("godwit://setup?url=javascript:alert(1)", "not an address of a web server"),
      ("godwit://setup?token=abc", "a token but no url"), ("godwit://setup?format=overland", "a format but no url"),
      ("godwit://setup?url=https://a.example&format=morse", "called \"morse\"; there are overland"),
      ("godwit://setup?url=https://a.example&token=a%0Ab", "token contains blanks"),
      ("godwit://setup?url=https://a.example&url=https://b.example", "contains url twice"),
      ("godwit://setup?colour=red", "\"colour\", which is not a setting"),
      ("godwit://setup?main.batch_size=7", "\"main.batch_size\" cannot be 7; expected 50"),
      ("godwit://setup?main.visit_tracking=perhaps", "cannot be \"perhaps\"; expected true | false"),
      ("godwit://setup?wifi_zones=Home", "\"wifi_zones\" cannot be"),
    ])
  func rejected(_ text: String, _ expected: String) {
    do throws(GodwitError) {
      let link = try SetupLink(link: text)
      Issue.record("\(link) was accepted")
    } catch {
      #expect(error.code == .invalidLink && error.message.contains(expected), "\(error)")
    }
  }
}
