internal import Foundation
internal import Godwit
internal import GodwitDelivery
internal import GodwitModel

/// The configuration of regions for Objective-C.
struct FacadeRegions: Sendable, Hashable {
  /// The name of the endpoint whose server has the regions.
  var endpoint: String
  /// Only regions with one of these tags; empty: all.
  var tags: [String] = []
  /// No regions with one of these tags.
  var without: [String] = []
  /// Whether the regions are monitored also while tracking is off.
  var isIndependent = false

  /// Returns the configuration of the SDK.
  /// - Parameter endpoints: the endpoints of the tracker, which must contain the named one.
  /// - Throws: ``GodwitError/Code/invalidEndpoint`` if there is no such endpoint, or if its address has no `/api/`.
  func configuration(among endpoints: [Endpoint]) throws(GodwitError) -> RegionConfiguration {
    guard let found = endpoints.first(where: { $0.id.name == endpoint }) else {
      let names = endpoints.map(\.id.name).joined(separator: ", ")
      throw GodwitError(
        .invalidEndpoint,
        "The regions name the endpoint \(endpoint), which does not exist. The endpoints are: \(names).")
    }
    guard var regions = RegionConfiguration(beside: found, choice: RegionSync.Choice(tags: tags, without: without)) else {
      throw GodwitError(
        .invalidEndpoint,
        "Endpoint \(endpoint): its server has no regions. Use an endpoint whose address ends with "
          + "/api/overland.")
    }
    regions.isIndependent = isIndependent
    return regions
  }
}

/// A region for Objective-C: a circle, the circumscribed circle of an area, or a beacon.
struct FacadeRegion: Sendable, Hashable {
  var id: String
  var name: String
  var tags: [String]
  /// The centre of the circle, or the position of the beacon; `nil`: unknown.
  var center: Coordinate?
  /// The radius in metres; negative for a beacon.
  var radius: Double
  var beaconUUID: UUID?
  /// The major number of a beacon; negative: any. The same applies to `minor`.
  var major = -1
  var minor = -1

  init(_ region: Region) { self.init(RegionMention(region)) }

  init(_ mention: RegionMention) {
    (id, name, tags, center) = (mention.id, mention.name, mention.tags, mention.center)
    radius = mention.radius ?? -1
    guard let beacon = mention.beacon else { return }
    beaconUUID = beacon.uuid.uuid
    if let number = beacon.major { major = Int(number) }
    if let number = beacon.minor { minor = Int(number) }
  }
}
