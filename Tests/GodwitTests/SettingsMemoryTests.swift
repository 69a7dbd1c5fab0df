import GodwitModel
import Testing

@testable import Godwit

@Suite("Settings that survive a relaunch")
struct SettingsMemoryTests {
  private func change(_ name: String, _ old: Double, _ new: Double) -> SettingChange {
    SettingChange(name: name, old: .number(old), new: .number(new))
  }

  @Test("changed settings are restored over the same configuration, and a new configuration replaces them")
  func relaunch() {
    var base = Settings()
    var memory = SettingsMemory(text: nil)
    memory.remember([change("main.batch_size", 200, 50)], base: base, byServer: [])
    memory.remember([change("trip.batch_size", 200, 100)], base: base, byServer: ["trip.batch_size"])
    #expect(memory.setByServer == ["trip.batch_size"])
    var again = SettingsMemory(text: memory.text)
    #expect(again == memory)
    var settings = again.settings(from: base)
    #expect(settings.main.batchSize == 50 && settings.trip.batchSize == 100)
    // The user changes the configuration.
    base.main.batchSize = 300
    settings = again.settings(from: base)
    #expect(settings.main.batchSize == 300 && settings.trip.batchSize == 100)
    // The stored change stays removed if the configuration is changed back.
    #expect(again.settings(from: Settings()).main.batchSize == 200)
  }

  @Test("a value equal to the configuration is not stored")
  func back() {
    var memory = SettingsMemory(text: nil)
    memory.remember([change("main.batch_size", 200, 50)], base: Settings(), byServer: ["main.batch_size"])
    memory.remember([change("main.batch_size", 50, 200)], base: Settings(), byServer: ["main.batch_size"])
    #expect(memory.changes.isEmpty && memory.setByServer.isEmpty)
  }

  @Test(
    "unreadable stored settings are ignored, and unknown ones are skipped",
    arguments: ["", "{", #"{"changes":5}"#, #"{"changes":{"gone":{"value":1,"base":2,"isByServer":false}}}"#])
  func unreadable(_ text: String) {
    var memory = SettingsMemory(text: text)
    #expect(memory.settings(from: Settings()) == Settings())
  }
}
