/// A figure on a screen: a title and its value.
public struct Figure: Identifiable, Sendable, Hashable {
  public var id: String
  public var title: String
  public var value: String
  /// The text for VoiceOver.
  public var accessibilityLabel: String

  init(id: String, title: String, value: String, accessibilityLabel: String? = nil) {
    self.id = id
    self.title = title
    self.value = value
    self.accessibilityLabel = accessibilityLabel ?? "\(title): \(value)"
  }
}

/// An alert for the user, with an optional action.
public struct AlertRow: Identifiable, Sendable, Hashable {
  /// The action of an alert's button.
  public enum Action: String, Sendable, Hashable {
    case openSystemSettings, requestPermission, addServer
  }

  public var id: String
  public var text: String
  public var action: Action?
  /// The label of the button; empty: there is no button.
  public var actionLabel = ""

  public var hasAction: Bool { action != nil }
}

/// The severity of a status, which determines its colour and symbol.
public enum StatusLevel: String, Sendable, Hashable, CaseIterable {
  case good, quiet, warning, bad, off

  /// The name of a symbol of SF Symbols.
  public var symbol: String {
    switch self {
    case .good: "location.fill"
    case .quiet: "moon.fill"
    case .warning: "exclamationmark.triangle.fill"
    case .bad: "xmark.octagon.fill"
    case .off: "location.slash"
    }
  }
}

/// A choice of a picker.
public struct ChoiceRow: Identifiable, Sendable, Hashable {
  /// The value.
  public var id: String
  public var label: String
}
