#if os(Linux)
  /// Something that this machine may be able to tell or do for a tracker, and how it stands with that.
  public struct DevicePart: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
      case battery
      /// Whether there is a network, and of which kind.
      case network
      /// The name of the wifi.
      case wifi
      case notifications
    }

    public enum Condition: String, Sendable, Hashable, Codable {
      /// It tells.
      case works
      /// The machine has none, and nothing is wrong with that: a Raspberry Pi has no battery.
      case absent
      /// Something is missing that could be had.
      case missing
    }

    public var kind: Kind
    public var condition: Condition
    /// What is there, or what is missing and what to do about it.
    public var text: String

    /// - Parameters:
    ///   - kind: what it is.
    ///   - condition: whether it works.
    ///   - text: a sentence for a person.
    public init(_ kind: Kind, _ condition: Condition, _ text: String) {
      self.kind = kind
      self.condition = condition
      self.text = text
    }
  }

  /// Text from the air or a device, for a terminal: characters that would steer it are shown as such.
  func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: "\u{FFFD}"
          default: scalar
          }
        }))
  }
#endif
