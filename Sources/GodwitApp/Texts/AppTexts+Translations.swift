extension AppTexts {
  /// The tables of the languages besides English, by their codes. Each has every text.
  static let translations: [String: [AppText: String]] = [:]
}
