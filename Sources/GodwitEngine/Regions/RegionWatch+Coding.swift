internal import GodwitModel

internal import struct Foundation.Date

/// What is kept is one object with the state of all parts side by side.
extension RegionWatch {
  private enum CodingKeys: String, CodingKey {
    case limits, plan, foreign, canMonitor, toldTimer, toldAccuracy
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    limits = try container.decode(RegionLimits.self, forKey: .limits)
    plan = try container.decode(RegionPlan.self, forKey: .plan)
    foreign = try container.decode(Int.self, forKey: .foreign)
    canMonitor = try container.decode(Bool.self, forKey: .canMonitor)
    toldTimer = try container.decodeIfPresent(Date.self, forKey: .toldTimer)
    toldAccuracy = try container.decodeIfPresent(DesiredAccuracy.self, forKey: .toldAccuracy)
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
    try container.encode(foreign, forKey: .foreign)
    try container.encode(canMonitor, forKey: .canMonitor)
    try container.encodeIfPresent(toldTimer, forKey: .toldTimer)
    try container.encodeIfPresent(toldAccuracy, forKey: .toldAccuracy)
    try stays.encode(to: encoder)
    try ranging.encode(to: encoder)
    try sightings.encode(to: encoder)
    try system.encode(to: encoder)
    try place.encode(to: encoder)
    try demand.encode(to: encoder)
  }
}
