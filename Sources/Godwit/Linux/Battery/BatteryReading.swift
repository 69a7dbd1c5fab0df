#if os(Linux)
  internal import GodwitModel

  /// The combined state of all batteries of a machine.
  enum BatteryReading: Sendable, Hashable {
    /// The machine has no battery.
    case noBattery
    /// - Parameter level: 0…1; `nil` if unknown.
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
