extension AppTexts {
  /// The tables of the languages besides English, by code. Each table has every text.
  static let translations: [String: [AppText: String]] = [
    "de": GermanTexts.table, "es": SpanishTexts.table, "fr": FrenchTexts.table, "sl": SlovenianTexts.table,
  ]

  /// Labels and sentences of the SDK in these languages, by their English text.
  static let labels: [String: [String: String]] = [
    "de": GermanLabels.table, "es": SpanishLabels.table, "fr": FrenchLabels.table, "sl": SlovenianLabels.table,
  ]
}
