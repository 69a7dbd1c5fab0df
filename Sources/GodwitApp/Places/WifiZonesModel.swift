internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
public import Observation

/// The Wifi Zones screen: networks whose place replaces the position of the receiver.
@MainActor @Observable
public final class WifiZonesModel {
  private let state: AppState
  private let change: SettingChangeModel
  /// The shown form; `nil`: none.
  public var form: WifiZoneForm?

  init(_ state: AppState) {
    self.state = state
    change = SettingChangeModel(state)
  }

  private var texts: AppTexts { state.texts }
  private var zones: [WifiZone] { state.settings.wifiZones }

  public var title: String { texts(.wifiZones) }
  public var explanation: String { texts(.wifiZonesExplanation) }
  public var emptyText: String? { zones.isEmpty ? texts(.wifiZonesEmpty) : nil }
  public var addLabel: String { texts(.addZone) }
  public var addHereLabel: String { texts(.addZoneHere) }
  public var removeLabel: String { texts(.remove) }
  public var saveLabel: String { texts(.save) }
  public var cancelLabel: String { texts(.cancel) }
  /// Why the last change failed, as a sentence; `nil`: it succeeded.
  public var problem: String? { change.problem ?? state.problem }

  public var rows: [WifiZoneRow] {
    let current = state.services.wifiName()
    return zones.enumerated().map { index, zone in
      let place = state.measures.position(zone.coordinate.latitude, zone.coordinate.longitude)
      let isCurrent = zone.ssid == current
      return WifiZoneRow(
        id: index, name: zone.ssid, placeText: place, latitude: zone.coordinate.latitude, longitude: zone.coordinate.longitude,
        isCurrent: isCurrent, accessibilityLabel: isCurrent ? texts(.connectedZone, zone.ssid) : zone.ssid)
    }
  }

  /// Whether the network and the position for ``addHere()`` are known.
  public var canAddHere: Bool { state.services.wifiName() != nil && herePosition != nil }
  /// Why ``addHere()`` is not possible; `nil`: it is possible.
  public var addHereText: String? { canAddHere ? nil : texts(.addZoneHereUnknown) }

  /// Seconds after which a position is too old to be the current one.
  private static let maximumAge = 900.0
  private var herePosition: Coordinate? {
    guard let fix = state.status?.lastFix, state.now.timeIntervalSince(fix.time) <= Self.maximumAge else { return nil }
    return fix.coordinate
  }

  /// The part of the map with all zones and the newest position; `nil`: there are none.
  public var area: MapArea? { MapArea(around: zones.map(\.coordinate) + [state.status?.lastFix?.coordinate].compactMap(\.self)) }

  public func add() { form = WifiZoneForm(texts, original: nil, name: "", latitude: "", longitude: "") }

  /// Opens the form with the current network and position.
  public func addHere() {
    guard let name = state.services.wifiName(), let here = herePosition else { return }
    let known = zones.first { $0.ssid == name }
    form = WifiZoneForm(texts, original: known, name: name, latitude: "\(here.latitude)", longitude: "\(here.longitude)")
  }

  public func edit(_ id: Int) {
    guard zones.indices.contains(id) else { return }
    let zone = zones[id]
    form = WifiZoneForm(
      texts, original: zone, name: zone.ssid, latitude: "\(zone.coordinate.latitude)", longitude: "\(zone.coordinate.longitude)")
  }

  /// Stores the shown form and closes it.
  public func saveForm() {
    guard let form, let zone = form.zone else { return }
    var new = zones
    // A network has one place, because a second entry with its name would never be used. The list may have changed since the form was
    // opened.
    if let index = form.original.flatMap({ new.firstIndex(of: $0) }) { new[index] = zone } else { new.append(zone) }
    var names: Set<String> = []
    store(new.reversed().filter { names.insert($0.ssid).inserted }.reversed())
    self.form = nil
  }

  public func remove(_ id: Int) {
    guard zones.indices.contains(id) else { return }
    var new = zones
    new.remove(at: id)
    store(new)
  }

  private func store(_ zones: [WifiZone]) {
    change.request([DesiredSetting(name: "wifi_zones", value: .list(zones.map(\.description)))])
  }
}

/// The form of a wifi zone. The place can be entered, or set on a map.
@MainActor @Observable
public final class WifiZoneForm: Identifiable {
  /// The zone that is edited; `nil`: a new one.
  let original: WifiZone?
  public var name: String
  public var latitude: String
  public var longitude: String
  private let texts: AppTexts

  init(_ texts: AppTexts, original: WifiZone?, name: String, latitude: String, longitude: String) {
    self.texts = texts
    self.original = original
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
  }

  public var title: String { original == nil ? texts(.addZone) : texts(.editZone) }
  public var nameLabel: String { texts(.networkName) }
  public var latitudeLabel: String { texts(.latitude) }
  public var longitudeLabel: String { texts(.longitude) }

  /// Sets the place after a tap on a map.
  public func place(latitude: Double, longitude: Double) {
    self.latitude = "\(latitude)"
    self.longitude = "\(longitude)"
  }

  var zone: WifiZone? {
    guard !name.isEmpty, name.utf8.count <= Self.maximumNameLength, !Self.hasControl(name), let latitude = Self.number(latitude),
      let longitude = Self.number(longitude),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return WifiZone(ssid: name, coordinate: coordinate)
  }
  public var canSave: Bool { zone != nil }
  /// Why the zone cannot be saved, as a sentence; `nil`: it can, or nothing has been entered.
  public var problem: String? {
    if name.isEmpty, latitude.isEmpty, longitude.isEmpty { return nil }
    if name.isEmpty { return texts(.zoneNameMissing) }
    if name.utf8.count > Self.maximumNameLength { return texts(.zoneNameLong) }
    if Self.hasControl(name) { return texts(.zoneNameControl) }
    guard let north = Self.number(latitude), abs(north) <= 90 else { return texts(.latitudeInvalid) }
    guard let east = Self.number(longitude), abs(east) <= 180 else { return texts(.longitudeInvalid) }
    return nil
  }
  /// The place for a map; `nil`: the form is not valid.
  public var mapPlace: MapPoint? { zone.map { MapPoint($0.coordinate) } }

  /// Maximum bytes of the name of a network (IEEE 802.11, 9.4.2.2).
  private static let maximumNameLength = 32
  private static func hasControl(_ name: String) -> Bool {
    name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Parses a number with a decimal point or a decimal comma.
  private static func number(_ text: String) -> Double? {
    let number = Double(text.trimmingCharacters(in: .whitespaces).replacing(",", with: "."))
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// A wifi zone as a row.
public struct WifiZoneRow: Identifiable, Sendable, Hashable {
  public var id: Int
  public var name: String
  public var placeText: String
  /// Degrees north, −90…90.
  public var latitude: Double
  /// Degrees east, −180…180.
  public var longitude: Double
  /// Whether the device is in this network.
  public var isCurrent: Bool
  public var accessibilityLabel: String
}
