import GodwitModel
import Testing

@Suite("Settings")
struct SettingsTests {
  @Test("every default can be set, and changes nothing")
  func defaults() throws {
    var settings = Settings()
    for entry in Settings.table { try settings.set(entry.name, to: entry.standard) }
    #expect(settings == Settings())
    #expect(settings.changes.isEmpty)
  }

  @Test("every name occurs once")
  func names() {
    #expect(Set(Settings.table.map(\.name)).count == Settings.table.count)
  }

  @Test("every allowed value can be set and read back")
  func words() throws {
    for entry in Settings.table where entry.allowed.contains(" | ") {
      for word in entry.allowed.split(separator: " | ").map(String.init) where entry.allowed != "true | false" {
        var settings = Settings()
        let isNumber = if case .number = entry.standard { true } else { false }
        let value: SettingValue = isNumber ? .number(Double(word) ?? 0) : .text(word)
        try settings.set(entry.name, to: value)
        #expect(entry.value(settings) == value)
      }
    }
  }

  @Test("an interval that is off differs from zero, and a batch size may be a text")
  func traps() throws {
    var settings = Settings()
    try settings.set("send_interval", to: .text("off"))
    #expect(settings.sendInterval == nil)
    try settings.set("main.batch_size", to: .text("500"))
    #expect(settings.main.batchSize == 500)
    #expect(settings.changes.map(\.name) == ["send_interval", "main.batch_size"])
  }

  @Test("an invalid value changes nothing and is reported with the valid ones")
  func rejected() {
    var settings = Settings()
    #expect(throws: SettingError("\"main.min_time\" cannot be \"2s\"; expected 1s | 5s | 10s | 30s | 1m | 2m | 5m.")) {
      try settings.set("main.min_time", to: .text("2s"))
    }
    #expect(throws: SettingError("There is no setting \"main.colour\".")) {
      try settings.set("main.colour", to: .flag(true))
    }
    #expect(settings == Settings())
  }

  @Test("a server changes the settings that it may change, and no others")
  func authority() throws {
    var settings = Settings()
    try settings.set("main.min_distance", to: .text("10m"), by: .userAndServer)
    #expect(settings.main.minimumDistance == 10)
    #expect(throws: SettingError.self) { try settings.set("device_id", to: .text("x"), by: .userAndServer) }
  }
}
