#if os(Linux)
  extension DeviceMonitor {
    /// A capability of this machine that a tracker can use, and its condition.
    public struct Part: Sendable, Hashable {
      /// The capability.
      public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case battery
        /// Whether there is a network, and its kind.
        case network
        /// The name of the wifi.
        case wifi
        case notifications
      }

      /// Whether the capability works.
      public enum Condition: String, Sendable, Hashable, Codable {
        /// It works.
        case works
        /// The machine does not have it, and that is normal: a Raspberry Pi has no battery.
        case absent
        /// A component is missing that could be installed.
        case missing
      }

      public var kind: Kind
      public var condition: Condition
      /// A description, or what is missing and how to fix it.
      public var text: String

      /// - Parameters:
      ///   - kind: the capability.
      ///   - condition: whether it works.
      ///   - text: a sentence for the user.
      public init(_ kind: Kind, _ condition: Condition, _ text: String) {
        self.kind = kind
        self.condition = condition
        self.text = text
      }
    }
  }

  /// Escapes control characters in text from external sources, so that it cannot control a terminal.
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
