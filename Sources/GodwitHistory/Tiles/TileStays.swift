package import GodwitStore
internal import GodwitTiles

/// The visits of a device in the form that tiles need.
package struct StayList: Sendable {
  struct Stay: Sendable {
    /// Milliseconds since 1970.
    var arrival: Int64
    var departure: Int64
    /// 1e-7 degrees.
    var latitude: Int32
    var longitude: Int32
  }

  let stays: [Stay]

  /// Reads the visits of a device, with the corrections of users applied.
  package init(ofDevice device: Int64, _ db: any SQLConnection) throws {
    guard try CorrectionTable.countActive(ofDevice: device, db) == 0 else {
      let all = TimelineRows.Query(device: device, times: .min..<Int64.max)
      stays = try CorrectedTimeline(db).visits(all).map(\.visit).map { visit in
        Stay(arrival: visit.arrival, departure: visit.end, latitude: visit.latitude, longitude: visit.longitude)
      }
      return
    }
    stays = try db.all(
      "SELECT arrival, coalesce(departure, seen) AS departure, latitude, longitude FROM visits WHERE device = ? ORDER BY arrival",
      device
    ) { row in
      try Stay(
        arrival: row.integer("arrival"), departure: row.integer("departure"),
        latitude: Int32(clamping: row.integer("latitude")), longitude: Int32(clamping: row.integer("longitude")))
    }
  }
}

/// The layer `stays`: the visits of each device, grouped by the cells of a grid. A group is drawn at the place of its longest visit.
struct TileStays {
  private let frame: TileFrame
  private var cell = HistoryTile.pixel * 12

  private struct Key: Hashable, Comparable {
    var source: Int
    var row: Int
    var column: Int
    static func < (a: Self, b: Self) -> Bool { (a.source, a.row, a.column) < (b.source, b.row, b.column) }
  }

  private struct Group {
    var place: TileFrame.Place
    var visits: Int64 = 0
    var milliseconds: Int64 = 0
    /// The duration of the visit at `place`, the longest of the group, in milliseconds.
    var maximum: Int64 = 0
    var newest: Int64 = .min
  }
  private var groups: [Key: Group] = [:]

  init(_ frame: TileFrame) { self.frame = frame }

  /// Adds the visits of a device in a range of times.
  mutating func add(_ list: StayList, of source: Int, in times: Range<Int64>) {
    for stay in list.stays where stay.arrival < times.upperBound && stay.departure > times.lowerBound {
      let place = frame.place(latitude: stay.latitude, longitude: stay.longitude)
      guard frame.contains(place) else { continue }
      let length = min(stay.departure, times.upperBound) - max(stay.arrival, times.lowerBound)
      add(Group(place: place, visits: 1, milliseconds: length, maximum: length, newest: stay.arrival), of: source)
    }
  }

  private mutating func add(_ new: Group, of source: Int) {
    let key = Key(source: source, row: Int(new.place.y / cell), column: Int(new.place.x / cell))
    guard var group = groups[key] else {
      groups[key] = new
      return
    }
    if new.maximum > group.maximum { (group.maximum, group.place) = (new.maximum, new.place) }
    group.visits += new.visits
    group.milliseconds += new.milliseconds
    group.newest = max(group.newest, new.newest)
    groups[key] = group
  }

  /// Returns the layer with at most the given number of bytes: while it is larger, the cells grow.
  func layer(_ names: [String], limit: Int) -> VectorTileWriter.Layer {
    var stays = self
    while true {
      let layer = stays.layer(names)
      if layer.size <= limit || stays.cell > Double(VectorTileWriter.extent) { return layer }
      var next = TileStays(frame)
      next.cell = stays.cell * 1.5
      for (key, group) in stays.groups.sorted(by: { $0.key < $1.key }) { next.add(group, of: key.source) }
      stays = next
    }
  }

  private func layer(_ names: [String]) -> VectorTileWriter.Layer {
    var layer = VectorTileWriter.Layer(HistoryTile.Layer.stays.rawValue)
    for (key, group) in groups.sorted(by: { $0.key < $1.key }) {
      layer.add(
        VectorTileWriter.Geometry(points: [VectorTileWriter.Point(group.place)]),
        [
          ("device", .text(names[key.source])), ("visits", .integer(group.visits)),
          ("minutes", .integer(group.milliseconds / 60_000)), ("day", .integer(DirtyDays.day(of: group.newest))),
        ])
    }
    return layer
  }
}
