import Testing

@testable import GodwitApp

@Suite("The texts of the app")
struct TextTests {
  @Test("values are put where the text has their numbers, and are not filled again")
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

  private func placeholders(_ text: String) -> [String] { text.matches(of: #/%\d/#).map { String($0.output) }.sorted() }
}
