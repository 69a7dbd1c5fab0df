internal import Foundation
internal import GodwitDelivery
internal import GodwitModel

/// Regions from the few words that Objective-C has for them.
struct FacadeRegions: Sendable, Hashable {
  /// The name of the endpoint beside which the server has them.
  var endpoint: String
  /// Regions have one of these; empty: whatever their tags.
  var tags: [String] = []
  /// Regions have none of these.
  var without: [String] = []
  /// Whether they are watched over also while tracking is off.
  var isIndependent = false

  /// - Parameter endpoints: among which the named one is.
  /// - Throws: a sentence where there is no such endpoint, or none of a server that has regions.
  func configuration(among endpoints: [Endpoint]) throws(EndpointError) -> RegionConfiguration {
    guard let found = endpoints.first(where: { $0.id.name == endpoint }) else {
      let names = endpoints.map(\.id.name).joined(separator: ", ")
      throw EndpointError(
        description: "Regions are wanted beside the endpoint \(endpoint), and there is none of that name. There are: \(names).")
    }
    guard var regions = RegionConfiguration(beside: found, choice: RegionSync.Choice(tags: tags, without: without)) else {
      throw EndpointError(
        description: "Endpoint \(endpoint): its server has no regions. Name one whose address ends with /api/overland.")
    }
    regions.isIndependent = isIndependent
    return regions
  }
}

/// A region in numbers and words: a circle, the circle round an area, or a beacon.
struct FacadeRegion: Sendable, Hashable {
  var id: String
  var name: String
  var tags: [String]
  /// Centre of the circle, or where the beacon was put up; `nil`: nobody knows.
  var center: Coordinate?
  /// Metres; negative for a beacon.
  var radius: Double
  var beaconUUID: UUID?
  /// Negative: any.
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
