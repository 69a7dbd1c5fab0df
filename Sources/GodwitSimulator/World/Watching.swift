/// Monitoring services of the system, which need no positions requested by the app. The system measures coarse positions for them.
struct Watching: Sendable {
  // Seconds between the system's measurements for monitoring (assumed): at rest, while moving, and while moving near the boundary
  // of a region. Their energy is included in the powers of the services.
  private static let atRest = 120.0
  private static let inTransit = 60.0
  private static let nearBoundary = 20.0

  private var services: Set<MonitoringService> = []
  /// Whether the motion chip reports movement.
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

  /// Stops monitoring because the phone has no power. Monitoring must be requested again.
  mutating func turnOff() { services = [] }

  /// Sets the alarm of the next measurement. The interval depends on the reported motion.
  func plan(_ board: inout Mainboard) {
    board.set(.watch, in: !isMoving ? Self.atRest : isNear ? Self.nearBoundary : Self.inTransit)
  }

  /// - Parameters:
  ///   - isMoving: Whether the motion chip reports movement.
  ///   - isWrong: Whether the report is wrong. In this case the time of the next measurement is not changed.
  mutating func motionChanged(isMoving: Bool, isWrong: Bool, _ board: inout Mainboard) {
    let wasMoving = self.isMoving
    self.isMoving = isMoving
    charge(&board)
    if !isWrong, !services.isEmpty, isMoving != wasMoving { plan(&board) }
  }

  /// Sets the power of monitoring. A nearby region uses energy only while moving.
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
