internal import GodwitModel

internal import struct Foundation.Date

/// The stored state is one object with the members of all parts.
extension RegionWatch {
  private enum CodingKeys: String, CodingKey {
    case limits, plan
    case unmanaged = "foreign"
    case canMonitor
    case reportedTimer = "toldTimer"
    case reportedAccuracy = "toldAccuracy"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    limits = try container.decode(RegionLimits.self, forKey: .limits)
    plan = try container.decode(RegionPlan.self, forKey: .plan)
    unmanaged = try container.decode(Int.self, forKey: .unmanaged)
    canMonitor = try container.decode(Bool.self, forKey: .canMonitor)
    reportedTimer = try container.decodeIfPresent(Date.self, forKey: .reportedTimer)
    reportedAccuracy = try container.decodeIfPresent(DesiredAccuracy.self, forKey: .reportedAccuracy)
    stays = try RegionStays(from: decoder)
    ranging = try BeaconRanging(from: decoder)
    sightings = try GeofenceSightings(from: decoder)
    system = try SystemRegions(from: decoder)
    place = try DevicePlace(from: decoder)
    demand = try FixDemand(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(limits, forKey: .limits)
    try container.encode(plan, forKey: .plan)
    try container.encode(unmanaged, forKey: .unmanaged)
    try container.encode(canMonitor, forKey: .canMonitor)
    try container.encodeIfPresent(reportedTimer, forKey: .reportedTimer)
    try container.encodeIfPresent(reportedAccuracy, forKey: .reportedAccuracy)
    try stays.encode(to: encoder)
    try ranging.encode(to: encoder)
    try sightings.encode(to: encoder)
    try system.encode(to: encoder)
    try place.encode(to: encoder)
    try demand.encode(to: encoder)
  }
}
