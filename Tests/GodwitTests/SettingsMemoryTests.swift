import GodwitModel
import Testing

@testable import Godwit

@Suite("Settings that are remembered over a relaunch")
struct SettingsMemoryTests {
  private func change(_ name: String, _ old: Double, _ new: Double) -> SettingChange {
    SettingChange(name: name, old: .number(old), new: .number(new))
  }

  @Test("what was changed comes back over the same configuration, and gives way to a new one")
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
    // The user writes something else into the configuration.
    base.main.batchSize = 300
    settings = again.settings(from: base)
    #expect(settings.main.batchSize == 300 && settings.trip.batchSize == 100)
    // It stays so, also when the configuration goes back.
    #expect(again.settings(from: Settings()).main.batchSize == 200)
  }

  @Test("a change back to what the configuration says is nothing to remember")
  func back() {
    var memory = SettingsMemory(text: nil)
    memory.remember([change("main.batch_size", 200, 50)], base: Settings(), byServer: ["main.batch_size"])
    memory.remember([change("main.batch_size", 50, 200)], base: Settings(), byServer: ["main.batch_size"])
    #expect(memory.changes.isEmpty && memory.setByServer.isEmpty)
  }

  @Test(
    "a memory that cannot be read is an empty one; a setting that is no more is passed over",
    arguments: ["", "{", #"{"changes":5}"#, #"{"changes":{"gone":{"value":1,"base":2,"isByServer":false}}}"#])
  func unreadable(_ text: String) {
    var memory = SettingsMemory(text: text)
    #expect(memory.settings(from: Settings()) == Settings())
  }
}
