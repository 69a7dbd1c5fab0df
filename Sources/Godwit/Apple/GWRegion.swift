#if canImport(ObjectiveC)
  // Not compiled where there is no Objective-C: kept thin. Everything here only passes on.
  public import Foundation
  internal import GodwitModel

  /// A region that the device is in, or was in: a circle, the circle round an area, or a beacon.
  @objc(GWRegion)
  public final class GWRegion: NSObject, Sendable {
    /// Names it for ever.
    @objc public let identifier: String
    /// For people; may be empty.
    @objc public let name: String
    @objc public let tags: [String]
    /// Whether latitude and longitude are known; of a beacon they may not be.
    @objc public let hasCenter: Bool
    /// Degrees; 0 where they are not known.
    @objc public let latitude: Double
    @objc public let longitude: Double
    /// Metres; negative for a beacon.
    @objc public let radius: Double
    /// Of a beacon; `nil` for a geofence.
    @objc public let beaconUUID: UUID?
    /// Of a beacon; negative: any.
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

  /// What happened at a region.
  @objc(GWRegionEventKind)
  public enum GWRegionEventKind: Int, Sendable {
    case entered = 0
    case exited = 1
    /// The device has been inside for as long as the region asks for.
    case dwelled = 2
  }

  /// The device came into a region, left it, or has stayed in it.
  @objc(GWRegionEvent)
  public final class GWRegionEvent: NSObject, Sendable {
    @objc public let kind: GWRegionEventKind
    /// When it happened, as far as that is known.
    @objc public let timestamp: Date
    /// The region as it was then.
    @objc public let region: GWRegion
    /// When the device had come in; `nil` at an entry, and where that is not known.
    @objc public let entered: Date?

    init(_ event: RegionEvent) {
      kind =
        switch event.kind {
        case .entered: .entered
        case .exited: .exited
        case .dwelled: .dwelled
        }
      timestamp = event.time
      region = GWRegion(FacadeRegion(event.region))
      entered = event.entered
    }
  }
#endif
