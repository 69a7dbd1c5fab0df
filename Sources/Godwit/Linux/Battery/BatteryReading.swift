#if os(Linux)
  internal import GodwitModel

  /// What a machine says of its batteries, all of them together.
  enum BatteryReading: Sendable, Hashable {
    /// It has none.
    case noBattery
    /// - Parameter level: 0…1; `nil` when it is not known.
    case battery(level: Double?, state: BatteryState)

    /// "81 %, charging".
    var text: String {
      switch self {
      case .noBattery: "none"
      case .battery(let level, let state):
        (level.map { "\(Int(($0 * 100).rounded())) %, " } ?? "unknown level, ")
          + (state == .unknown ? "unknown whether it is charged" : "\(state)")
      }
    }
  }
#endif
