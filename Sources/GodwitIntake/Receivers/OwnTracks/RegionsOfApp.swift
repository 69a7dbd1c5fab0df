internal import Foundation
package import GodwitGeofencing
package import GodwitModel
package import GodwitStore
internal import GodwitText
package import GodwitWire

/// The regions that an app's request speaks of, and what becomes of them.
///
/// What an app makes is a region of its device alone, under the id that the app has for it. An app changes what it made; what the
/// owner made, and what the owner has drawn as polygons since, stays as it is, and the app is told so.
package struct RegionsOfApp {
  private let store: any RegionStore
  package let device: Device
  private let tag: String
  private var changed: [Region] = []
  /// Regions that the app has as the store has them.
  private(set) var known: Set<String> = []
  /// Regions of which the app has something else than the store, and is to be told once more.
  private(set) var again: Set<String> = []
  private(set) var hasChanged = false

  package init(_ store: any RegionStore, _ device: Device) {
    self.store = store
    self.device = device
    tag = AppRegions.tag(of: device)
  }

  /// Metres by which a place and a radius may differ for being written shorter on their way through an app.
  private static let slack = 2.0

  // MARK: Waypoints

  /// Reads a waypoint or several. - Returns: the message, where not all of it is taken.
  package mutating func take(_ message: OwnTracks.Message) throws -> RejectedRecord? {
    let found: RegionImport
    do throws(FormatError) { found = try OwnTracks.readWaypoints(message.bytes, isLenient: true) } catch {
      return RejectedRecord(place: message.place(of: error.place).description, reason: error.reason, raw: message.bytes)
    }
    // A mark on the map is no region, and nothing is wrong with it.
    let wrong = found.skipped.filter(\.isWrong)
    var reasons = wrong.map { $0.place.path == nil ? $0.reason : "\($0.place.path ?? ""): \($0.reason)" }
    for region in found.regions {
      if let reason = try take(region) { reasons.append(reason) }
    }
    guard !reasons.isEmpty else { return nil }
    let place = wrong.first?.place ?? FormatError.Place(byte: 0)
    return RejectedRecord(
      place: message.place(of: place).description, reason: reasons.joined(separator: "; "), raw: message.bytes)
  }

  /// - Returns: why it is not taken.
  private mutating func take(_ told: Region) throws -> String? {
    changed.removeAll { $0.id == told.id }
    guard let old = try store.region(id: told.id)?.region() else {
      var made = told
      made.tags = [tag]
      changed.append(made)
      return nil
    }
    if Self.isSame(told, old) {
      known.insert(old.id)
      return nil
    }
    guard old.tags.contains(tag) else {
      again.insert(old.id)
      return "the region \(old.id.debugDescription) was not made by this device's app; the owner changes it on the server"
    }
    if case .polygons = old.shape {
      again.insert(old.id)
      return "the region \(old.id.debugDescription) has polygons on the server, and an app knows circles only"
    }
    var new = old
    (new.name, new.shape) = (told.name, told.shape)
    changed.append(new)
    return nil
  }

  /// Whether an app has a region as it was told of it.
  private static func isSame(_ told: Region, _ old: Region) -> Bool {
    guard told.name == OwnTracks.description(of: old) || told.name == old.name else { return false }
    if let beacon = told.shape.beacon { return beacon.identity == old.shape.beacon?.identity }
    guard let a = told.shape.enclosingCircle, let b = old.shape.enclosingCircle else { return false }
    return GreatCircle.distance(a.center, b.center) <= slack && abs(a.radius - b.radius) <= slack
  }

  /// Saves what was made and changed.
  mutating func save(at now: Date) throws {
    guard !changed.isEmpty else { return }
    _ = try store.save(changed, if: .none, at: now)
    known.formUnion(changed.map(\.id))
    again.subtract(changed.map(\.id))
    hasChanged = true
  }

  // MARK: Transitions

  /// Completes the mention of a region in an event, where the store knows the region.
  package func name(_ record: inout Record) throws {
    guard case .region(var event) = record.kind, let region = try region(of: event.region) else { return }
    var mention = RegionMention(region)
    if mention.name.isEmpty, event.region.name != region.id { mention.name = event.region.name }
    event.region = mention
    record.kind = .region(event)
  }

  private func region(of mention: RegionMention) throws -> Region? {
    if let stored = try store.region(id: mention.id) { return try stored.region() }
    // Older apps name it by its name and the second in which it was made.
    guard
      let all = try store.regionUpdate(device: device.id, since: nil, most: OwnTracksReceiver.maximumRegions, at: Date())
    else { return nil }
    for stored in all.regions {
      let region = try stored.region()
      if OwnTracks.computedID(of: region) == mention.id { return region }
    }
    return nil
  }
}
