package import Foundation
package import GodwitModel
package import GodwitRegions
package import GodwitStore
internal import GodwitText
package import GodwitWire

/// The regions in the request of an app, and their changes.
///
/// A region from an app belongs to the device of the app, under the app's identifier. An app may change the regions that it
/// created. It cannot change regions of users, or its own regions that were edited to polygons; such regions are sent to the app
/// again.
package struct RegionsOfApp {
  private let store: any RegionStore
  package let device: Device
  /// The time of receipt.
  private let now: Date
  private let tag: String
  private var changed: [Region] = []
  /// Identifiers of regions that are equal in the app and in the store.
  private(set) var known: Set<String> = []
  /// Identifiers of regions that differ in the app and are sent again.
  private(set) var again: Set<String> = []
  private(set) var hasChanged = false

  package init(_ store: any RegionStore, _ device: Device, at now: Date) {
    self.store = store
    self.now = now
    self.device = device
    tag = AppRegions.tag(of: device)
  }

  /// Tolerance in metres for positions and radii, because apps round them.
  private static let slack = 2.0

  // MARK: Waypoints

  /// Handles a message with one or several waypoints. - Returns: a rejected record with the message, if a part of the message is
  /// rejected; otherwise `nil`.
  package mutating func handle(_ message: OwnTracks.Message) throws -> RejectedRecord? {
    let found: RegionImport
    do throws(FormatError) { found = try OwnTracks.readWaypoints(message.bytes, isLenient: true) } catch {
      return RejectedRecord(place: message.place(of: error.place).description, reason: error.reason, raw: message.bytes)
    }
    // A waypoint without a radius is valid, but is not a region.
    let wrong = found.skipped.filter(\.isWrong)
    var reasons = wrong.map { $0.place.path == nil ? $0.reason : "\($0.place.path ?? ""): \($0.reason)" }
    for region in found.regions {
      if let reason = try handle(region) { reasons.append(reason) }
    }
    guard !reasons.isEmpty else { return nil }
    let place = wrong.first?.place ?? FormatError.Place(byte: 0)
    return RejectedRecord(
      place: message.place(of: place).description, reason: reasons.joined(separator: "; "), raw: message.bytes)
  }

  /// Handles a region of the app. - Returns: the reason if the region is rejected; otherwise `nil`.
  private mutating func handle(_ reported: Region) throws -> String? {
    changed.removeAll { $0.id == reported.id }
    guard let old = try store.region(id: reported.id)?.region() else {
      var made = reported
      made.tags = [tag]
      changed.append(made)
      return nil
    }
    if Self.isSame(reported, old) {
      known.insert(old.id)
      return nil
    }
    guard old.tags.contains(tag) else {
      again.insert(old.id)
      return "the region \(old.id.debugDescription) was not created by this device's app; change it on the server"
    }
    if case .polygons = old.shape {
      again.insert(old.id)
      return "the region \(old.id.debugDescription) has polygons on the server, and the app supports only circles"
    }
    var new = old
    (new.name, new.shape) = (reported.name, reported.shape)
    changed.append(new)
    return nil
  }

  /// Whether the app's region equals the stored one.
  private static func isSame(_ reported: Region, _ old: Region) -> Bool {
    guard reported.name == OwnTracks.description(of: old) || reported.name == old.name else { return false }
    if let beacon = reported.shape.beacon { return beacon.identity == old.shape.beacon?.identity }
    guard let a = reported.shape.enclosingCircle, let b = old.shape.enclosingCircle else { return false }
    return GreatCircle.distance(a.center, b.center) <= slack && abs(a.radius - b.radius) <= slack
  }

  /// Stores new and changed regions.
  mutating func save() throws {
    guard !changed.isEmpty else { return }
    _ = try store.save(changed, if: .none, at: now)
    known.formUnion(changed.map(\.id))
    again.subtract(changed.map(\.id))
    hasChanged = true
  }

  // MARK: Transitions

  /// Replaces the mention of a region in an event with the data of the stored region, if it exists.
  package func name(_ record: inout Record) throws {
    guard case .region(var event) = record.kind, let region = try region(of: event.region) else { return }
    var mention = RegionMention(region)
    if mention.name.isEmpty, event.region.name != region.id { mention.name = event.region.name }
    event.region = mention
    record.kind = .region(event)
  }

  private func region(of mention: RegionMention) throws -> Region? {
    if let stored = try store.region(id: mention.id, device: device.id) { return try stored.region() }
    // Older apps identify a region by its name and the second of its creation.
    guard
      let all = try store.regionUpdate(device: device.id, since: nil, maximum: OwnTracksReceiver.maximumRegions, at: now)
    else { return nil }
    for stored in all.regions {
      let region = try stored.region()
      if OwnTracks.computedID(of: region) == mention.id { return region }
    }
    return nil
  }
}
