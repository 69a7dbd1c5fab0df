internal import GodwitModel

/// The policy `by_motion`, type C of the article on round-the-clock location: accurate updates with a distance filter while the
/// motion chip reports motion, otherwise updates with the least energy. The code of the article starts as if there were motion,
/// and checks for cycling only.
struct ByMotion: Sendable, Hashable, Codable {
  /// Metres between two positions while moving.
  static let filter: Meters = 10
  /// Metres between two positions at rest: Core Location's largest.
  static let largestFilter: Meters = .greatestFiniteMagnitude

  private(set) var isMoving = true

  mutating func handle(_ input: PolicyInput) -> PolicyResponse {
    if case .motion(let motion, _) = input, !motion.isEmpty { isMoving = motion != .stationary }
    return PolicyResponse(all: input)
  }

  func fill(_ request: inout LocationRequest) {
    request.desiredAccuracy = isMoving ? .tenMeters : .threeKilometers
    request.distanceFilter = isMoving ? Self.filter : Self.largestFilter
  }
}
