internal import Foundation
package import GodwitAccounts
package import GodwitModel
package import GodwitStore

/// A request to delete data. The database stores it until it is complete.
package struct DeletionRequest: Sendable, Codable, Hashable {
  /// The data to delete.
  package enum Target: Sendable, Codable, Hashable {
    /// A device with its records and all other data.
    case device(Int64)
    /// Points and events of one device.
    case points(PointSelection)
    /// The records of an import that no device has uploaded itself.
    case importJob(Int64)
    /// A user with all devices and all other data.
    case user(Int64)
    /// The records in a private zone: coarsened or deleted, according to the zone.
    case zone(Int64)
    /// A device that is merged into another one.
    case merge(Int64, into: Int64)
    /// An entry of the trash, which is restored.
    case undo(Int64)
    /// An entry of the trash, which is deleted permanently.
    case empty(Int64)

    /// Whether rows are deleted.
    var deletes: Bool {
      switch self {
      case .undo, .merge: false
      case .device, .points, .importJob, .user, .zone, .empty: true
      }
    }
  }

  package var target: Target
  /// The entry of the audit log, which is written when the request is complete. The counts are appended to its subject.
  package var audit: Audit
  /// The entry of the trash that receives the rows; `nil`: they are deleted permanently.
  package var trash: Int64?

  package init(target: Target, audit: Audit) {
    self.target = target
    self.audit = audit
  }

  /// An ``AuditEntry`` without the counts.
  package struct Audit: Sendable, Codable, Hashable {
    package var account: Int64?
    package var actor: String
    package var action: String
    package var subject: String
    package var address: String

    package init(account: Int64? = nil, actor: String, action: String, subject: String, address: String) {
      self.account = account
      self.actor = actor
      self.action = action
      self.subject = subject
      self.address = address
    }
  }
}

/// Selects points and events of a device.
package struct PointSelection: Sendable, Codable, Hashable {
  /// Permitted radii in metres.
  package static let radii = 1.0...1_000_000

  package var device: Int64
  /// Milliseconds since 1970, inclusive.
  package var from: Int64 = .min
  /// Milliseconds since 1970, exclusive.
  package var to: Int64 = .max
  /// The area; `nil`: everywhere.
  package var area: DeletionArea?
  /// Only records of this import; `nil`: all records.
  package var importID: Int64?

  package init(device: Int64, from: Int64 = .min, to: Int64 = .max, area: DeletionArea? = nil, importID: Int64? = nil) {
    self.device = device
    self.from = from
    self.to = to
    self.area = area
    self.importID = importID
  }

  package func contains(_ time: Int64) -> Bool { time >= from && time < to }
}

/// An area on the earth.
package enum DeletionArea: Sendable, Codable, Hashable {
  /// A box, including its edges; `west > east` spans the antimeridian.
  case box(BoundingBox)
  case shape(PrivacyZone.Shape)
}

/// An area that is prepared for comparison with many places.
package struct PreparedArea: Sendable {
  private enum Shape {
    case box(BoundingBox)
    case zone(PreparedZone)
  }
  private let shape: Shape
  /// A range of latitudes in 1e-7 degrees that contains the area.
  package let latitudes: ClosedRange<Int64>
  /// A range of longitudes in 1e-7 degrees that contains the area; `nil`: all longitudes.
  package let longitudes: ClosedRange<Int64>?

  package init(_ area: DeletionArea) {
    switch area {
    case .box(let box):
      shape = .box(box)
      latitudes = Self.range(box.south, box.north)
      longitudes = box.west <= box.east ? Self.range(box.west, box.east) : nil
    case .shape(let zone):
      shape = .zone(PreparedZone(PrivacyZone.Options(name: "", shape: zone, action: .drop)))
      let circle =
        switch zone {
        case .circle(let circle): circle
        case .area(let polygons): polygons.enclosingCircle
        }
      // A degree of latitude is at least 110,574 m (WGS 84).
      let reach = circle.radius / 110_000 + 1e-6
      let (south, north) = (circle.center.latitude - reach, circle.center.latitude + reach)
      latitudes = Self.range(max(-90, south), min(90, north))
      let narrow = cos(max(abs(south), abs(north)) * .pi / 180)
      let (west, east) = (circle.center.longitude - reach / narrow, circle.center.longitude + reach / narrow)
      longitudes = narrow > 0.01 && west >= -180 && east <= 180 ? Self.range(west, east) : nil
    }
  }

  private static func range(_ low: Degrees, _ high: Degrees) -> ClosedRange<Int64> {
    let (low, high) = (PointRow.exact(low, by: 1e7), PointRow.exact(high, by: 1e7))
    return low...max(low, high)
  }

  package func contains(_ place: Coordinate) -> Bool {
    contains(latitude: PointRow.exact(place.latitude, by: 1e7), longitude: PointRow.exact(place.longitude, by: 1e7))
  }

  /// - Parameters:
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  package func contains(latitude: Int64, longitude: Int64) -> Bool {
    guard latitudes.contains(latitude), longitudes?.contains(longitude) ?? true else { return false }
    switch shape {
    case .box(let box):
      let (west, east) = (PointRow.exact(box.west, by: 1e7), PointRow.exact(box.east, by: 1e7))
      return west <= east ? true : longitude >= west || longitude <= east
    case .zone(let zone):
      return Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7).map(zone.contains) ?? false
    }
  }
}

/// Counts of deleted data, or of data that would be deleted.
package struct DeletionCounts: Sendable, Codable, Hashable {
  package var users = 0
  package var devices = 0
  package var points = 0
  /// Points whose position was coarsened.
  package var blurredPoints = 0
  /// Visits, trips, actions and region events.
  package var events = 0
  package var rejectedRecords = 0
  /// Pending and failed webhook deliveries.
  package var webhookDeliveries = 0
  /// MQTT messages without an assigned device.
  package var mqttMessages = 0
  package var imports = 0
  /// Sharing links that would no longer show anything.
  package var links = 0

  package init(users: Int = 0) { self.users = users }

  package static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.users += b.users
    sum.devices += b.devices
    sum.points += b.points
    sum.blurredPoints += b.blurredPoints
    sum.events += b.events
    sum.rejectedRecords += b.rejectedRecords
    sum.webhookDeliveries += b.webhookDeliveries
    sum.mqttMessages += b.mqttMessages
    sum.imports += b.imports
    sum.links += b.links
    return sum
  }

  package static func += (a: inout Self, b: Self) { a = a + b }

  /// The counts with their names in JSON.
  package var members: [(name: String, count: Int)] {
    [
      ("users", users), ("devices", devices), ("points", points), ("blurred_points", blurredPoints), ("events", events),
      ("rejected_records", rejectedRecords), ("webhook_deliveries", webhookDeliveries), ("mqtt_messages", mqttMessages),
      ("imports", imports), ("links", links),
    ]
  }

  /// The counts as JSON: `{"points":12,…}`.
  package var json: String { "{" + members.map { #""\#($0.name)":\#($0.count)"# }.joined(separator: ",") + "}" }

  /// Reads ``json``. An invalid text results in zeros.
  package init(json: String) {
    let counts = (try? JSONDecoder().decode([String: Int].self, from: Data(json.utf8))) ?? [:]
    users = counts["users"] ?? 0
    devices = counts["devices"] ?? 0
    points = counts["points"] ?? 0
    blurredPoints = counts["blurred_points"] ?? 0
    events = counts["events"] ?? 0
    rejectedRecords = counts["rejected_records"] ?? 0
    webhookDeliveries = counts["webhook_deliveries"] ?? 0
    mqttMessages = counts["mqtt_messages"] ?? 0
    imports = counts["imports"] ?? 0
    links = counts["links"] ?? 0
  }

  /// The counts other than 0 as text: "12 points, 1 event".
  package var text: String {
    let parts = members.filter { $0.count > 0 }.map { name, count in
      let nouns = name.replacing("_", with: " ")
      return count.counted(name == "webhook_deliveries" ? "webhook delivery" : String(nouns.dropLast()), nouns)
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}
