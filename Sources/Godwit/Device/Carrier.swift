internal import Foundation

/// The name of a mobile network.
enum Carrier {
  /// Returns the first valid name. Newer systems return "--" for every network.
  static func name(_ names: [String]) -> String? {
    names.map { $0.trimmingCharacters(in: .whitespaces) }.sorted().first { name in
      name.contains { $0.isLetter || $0.isNumber } && name != "65535"
    }
  }
}
