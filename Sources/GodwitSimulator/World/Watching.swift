/// What the system watches for the app, without positions for it: it then learns rough ones, also while none are requested.
struct Watching: Sendable {
  // Seconds (assumed): so often the system learns where it is for what it watches, at rest, on the way, and on the way near the
  // boundary of a region. What it costs is in the powers of what is watched.
  private static let atRest = 120.0
  private static let inTransit = 60.0
  private static let nearBoundary = 20.0

  private var services: Set<MonitoringService> = []
  /// Whether the motion chip sees the phone move.
  private var isMoving = false

  /// Whether the boundary of a region is near.
  var isNear: Bool { services.contains(.regionsNear) }

  mutating func set(_ new: Set<MonitoringService>, _ board: inout Mainboard) {
    guard board.isOn else { return }
    let before = services
    services = new
    charge(&board)
    guard new != before else { return }
    if new.isEmpty { board.cancel(.watch) } else { plan(&board) }
  }

  /// The phone's power is gone; a new request is needed.
  mutating func turnOff() { services = [] }

  /// The next look. The motion chip may have seen a change.
  func plan(_ board: inout Mainboard) {
    board.set(.watch, in: !isMoving ? Self.atRest : isNear ? Self.nearBoundary : Self.inTransit)
  }

  /// - Parameters:
  ///   - isMoving: what the motion chip sees now.
  ///   - isWrong: whether the chip is wrong, and the time of the next look stays as it is.
  mutating func motionChanged(isMoving: Bool, isWrong: Bool, _ board: inout Mainboard) {
    let wasMoving = self.isMoving
    self.isMoving = isMoving
    charge(&board)
    if !isWrong, !services.isEmpty, isMoving != wasMoving { plan(&board) }
  }

  /// Near a boundary it costs something only on the way.
  private func charge(_ board: inout Mainboard) {
    let power = services.reduce(Power.zero) { sum, service in
      service == .regionsNear && !isMoving ? sum : sum + board.phone.power(service.number)
    }
    board.set(.monitoring, power)
  }
}

extension MonitoringService {
  fileprivate var number: PhoneProfile.Number {
    switch self {
    case .visits: .visits
    case .significantChanges: .significantChanges
    case .regionsFar: .regionsFar
    case .regionsNear: .regionsNear
    }
  }
}
