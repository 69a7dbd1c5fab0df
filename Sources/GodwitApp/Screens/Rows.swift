/// A figure of a screen: a title and its value.
public struct Figure: Identifiable, Sendable, Hashable {
  public var id: String
  public var title: String
  public var value: String
  /// What VoiceOver says.
  public var accessibilityLabel: String

  init(id: String, title: String, value: String, accessibilityLabel: String? = nil) {
    self.id = id
    self.title = title
    self.value = value
    self.accessibilityLabel = accessibilityLabel ?? "\(title): \(value)"
  }
}

/// Something that a person should know, and what can be done about it.
public struct AlertRow: Identifiable, Sendable, Hashable {
  /// What the button of an alert does.
  public enum Action: String, Sendable, Hashable {
    case openSystemSettings, requestPermission, addServer
  }

  public var id: String
  public var text: String
  public var action: Action?
  /// The label of its button; empty: there is none.
  public var actionLabel = ""

  public var hasAction: Bool { action != nil }
}

/// How serious a status is: for its colour and its symbol.
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
