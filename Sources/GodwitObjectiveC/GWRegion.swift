#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  public import Foundation
  internal import Godwit
  internal import GodwitModel

  /// A region that the device is in, or was in: a circle, the circumscribed circle of an area, or a beacon.
  @objc(GWRegion)
  public final class GWRegion: NSObject, Sendable {
    /// The permanent identifier.
    @objc public let identifier: String
    /// The display name; may be empty.
    @objc public let name: String
    @objc public let tags: [String]
    /// Whether latitude and longitude are known; those of a beacon may be unknown.
    @objc public let hasCenter: Bool
    /// The latitude in degrees; 0 if unknown. The same applies to the longitude.
    @objc public let latitude: Double
    @objc public let longitude: Double
    /// The radius in metres; negative for a beacon.
    @objc public let radius: Double
    /// The UUID of a beacon; `nil` for a geofence.
    @objc public let beaconUUID: UUID?
    /// The major number of a beacon; negative: any. The same applies to the minor number.
    @objc public let beaconMajor: Int
    @objc public let beaconMinor: Int

    init(_ region: FacadeRegion) {
      identifier = region.id
      name = region.name
      tags = region.tags
      hasCenter = region.center != nil
      latitude = region.center?.latitude ?? 0
      longitude = region.center?.longitude ?? 0
      radius = region.radius
      beaconUUID = region.beaconUUID
      beaconMajor = region.major
      beaconMinor = region.minor
    }

    convenience init(_ region: Region) { self.init(FacadeRegion(region)) }
  }

  /// The kind of a region event.
  @objc(GWRegionEventKind)
  public enum GWRegionEventKind: Int, Sendable {
    case entered = 0
    case exited = 1
    /// The device has been inside for the dwell time of the region.
    case dwelled = 2
    /// The device entered and left the region between two positions; only a server reports this.
    case crossed = 3
  }

  /// An entry, an exit, a dwell or a crossing.
  @objc(GWRegionEvent)
  public final class GWRegionEvent: NSObject, Sendable {
    @objc public let kind: GWRegionEventKind
    /// The time of the event.
    @objc public let timestamp: Date
    /// The region as it was at the event.
    @objc public let region: GWRegion
    /// The time of the entry; `nil` for an entry, and if it is unknown.
    @objc public let entered: Date?

    init(_ event: RegionEvent) {
      kind =
        switch event.kind {
        case .entered: .entered
        case .exited: .exited
        case .dwelled: .dwelled
        case .crossed: .crossed
        }
      timestamp = event.time
      region = GWRegion(FacadeRegion(event.region))
      entered = event.entered
    }
  }
#endif
