import GodwitEngine
import GodwitModel
import Testing

@testable import GodwitApp
@testable import GodwitStatus

@Suite("The texts of the app")
struct TextTests {
  @Test("values replace the placeholders of a text, and are not replaced again")
  func values() {
    let texts = AppTexts()
    #expect(texts(.stepOf, "2", "6") == "2 of 6")
    #expect(texts(.removeServerPrompt, "%1 100 %") == "Remove %1 100 %?")
  }

  @Test("every language has every text with the same values", arguments: AppTexts.translations.keys.sorted())
  func isComplete(language: String) throws {
    let table = try #require(AppTexts.translations[language])
    for text in AppText.allCases {
      let translation = try #require(table[text], "\(language) has no \(text)")
      #expect(placeholders(translation) == placeholders(text.rawValue), "\(language): \(text)")
    }
  }

  @Test("every language has the labels of the SDK that are on every screen", arguments: AppTexts.labels.keys.sorted())
  func labels(language: String) throws {
    let table = try #require(AppTexts.labels[language])
    #expect(Set(table.keys) == Set(try #require(AppTexts.labels["de"]).keys))
    // Labels that are on every screen must exist in every language.
    var needed = TripMode.allCases.map { StatusLabels.label($0.rawValue) }
    needed += CoverageEntry.Reason.allCases.map(\.title)
    needed += Preset.allCases.flatMap { [StatusLabels.label($0.rawValue), $0.summary] }
    needed += Set(Settings.table.map(\.section)).map(StatusLabels.section)
    needed += [Authorization.notDetermined, .denied, .restricted, .whenInUse, .always].map(StatusLabels.permission)
    needed += StatusLabels.activity([.walking, .running, .cycling, .driving, .stationary])
    needed += Settings.table.flatMap { [SettingFieldModel.capitalized($0.title), $0.summary] }
    needed += CollectingFields.names.map(\.summary)
    #expect(needed.filter { table[$0] == nil } == [])
  }

  @Test("the status of every state has its title in every language", arguments: AppTexts.labels.keys.sorted())
  func statusTitles(language: String) throws {
    let source = try #require(AppTexts.labels[language])
    let titles = [
      "Recording", "Recording a trip", "Not responding", "Cannot record", "Tracking is off", "No permission", "No permission yet",
      "Paused", "No position", "Waiting for a position", "No signal", "At rest", "On, no positions requested",
    ]
    #expect(titles.filter { source[$0] == nil } == [])
  }

  @Test(
    "the first available language of the user is used",
    arguments: [(["de-AT", "en"], "de"), (["pt", "fr_CA"], "fr"), (["sl-SI"], "sl"), (["xx"], "en"), ([], "en")])
  func chosen(preferred: [String], code: String) { #expect(AppTexts(preferred: preferred).code == code) }

  private func placeholders(_ text: String) -> [String] { text.matches(of: #/%\d/#).map { String($0.output) }.sorted() }
}
