internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Finds the names of positions in the tiles of the built-in world, without a network.
///
/// The country and the state are those whose polygon contains the position, or else the nearest within 5 km, because coasts are simplified.
/// Within 1 km of a town, the town's country takes precedence, because borders are simplified too. The town is the largest whose area
/// contains the position, or else the one with the smallest distance divided by the cube root of its population, within 30 km and in the
/// same country.
package final class PlaceNames: Sendable {
  /// Maximum distance in metres of a position from the polygon of its state. The tiles have such a margin up to 60° of latitude.
  private static let coast = 5_000.0
  /// The distance in metres from a town within which a position gets the town's country.
  private static let ownCountry = 1_000.0
  /// Maximum distance in metres between a position and its town.
  private static let townRange = 30_000.0
  /// Maximum displacement of a town by rounding to the units of a tile, in metres: half of the diagonal of 19 m.
  private static let townRounding = 15.0
  /// The zoom levels of the polygons of states and of all towns; see `scripts/world`.
  private static let stateZoom = 6
  private static let townZoom = 7
  /// Maximum cached tiles of each kind. A decoded tile has 30 KB on average.
  private static let kept = 48

  private struct Cache {
    var states = RecentValues<TileCoordinate, StateTile>(limit: PlaceNames.kept)
    var towns = RecentValues<TileCoordinate, TownTile>(limit: PlaceNames.kept)
  }

  private struct Country {
    var name: String
    /// 0: the country has no polygon.
    var squareKilometers: Double
  }

  private let world: TileArchive
  private let names: TileArchive
  private let countries: [String: Country]
  private let cache = Mutex(Cache())

  /// Reads the names of countries.
  /// - Parameters:
  ///   - world: the archive with the polygons of states at zoom 6.
  ///   - names: the archive with all towns at zoom 7 and all countries at zoom 0.
  package init(world: TileArchive, names: TileArchive) throws(TileArchiveError) {
    self.world = world
    self.names = names
    var countries: [String: Country] = [:]
    if let root = TileCoordinate(zoom: 0, column: 0, row: 0), let layer = try Self.layer("country", of: names, at: root) {
      for feature in layer.features {
        countries[layer.text("c", of: feature)] = Country(
          name: layer.text("name", of: feature), squareKilometers: layer.number("km2", of: feature))
      }
    }
    self.countries = countries
  }

  /// The English name of a country; `nil` for an unknown code.
  package func country(_ code: String) -> String? { countries[code]?.name }

  /// The area of a country with its lakes; `nil` for an unknown code and for a country without a polygon.
  package func squareKilometers(ofCountry code: String) -> Double? {
    countries[code].flatMap { $0.squareKilometers > 0 ? $0.squareKilometers : nil }
  }

  /// Whether the polygons of a country contain a position.
  /// - Throws: an error if a tile cannot be read.
  package func isInside(_ code: String, latitude: Double, longitude: Double) throws(TileArchiveError) -> Bool {
    guard let place = TileCoordinate(zoom: Self.stateZoom, latitude: latitude, longitude: longitude) else { return false }
    return try stateTile(at: place).contains(MercatorPoint(latitude: latitude, longitude: longitude), in: place, code: code)
  }

  /// Whether a country has a part in a tile, or in the tile of zoom 6 that contains it.
  /// - Throws: an error if a tile cannot be read.
  package func hasCountry(_ code: String, near tile: TileCoordinate) throws(TileArchiveError) -> Bool {
    let deeper = max(Self.stateZoom - tile.zoom, 0)
    let higher = max(tile.zoom - Self.stateZoom, 0)
    for row in 0..<(1 << deeper) {
      for column in 0..<(1 << deeper) {
        let place = TileCoordinate(
          zoom: Self.stateZoom, column: ((tile.column << deeper) >> higher) + column, row: ((tile.row << deeper) >> higher) + row)
        if let place, try stateTile(at: place).has(code) { return true }
      }
    }
    return false
  }

  /// The names of a position; ``PlaceName/none`` at sea and for numbers that are not finite.
  /// - Throws: an error if a tile cannot be read.
  package func name(latitude: Double, longitude: Double) throws(TileArchiveError) -> PlaceName {
    let wrapped = remainder(longitude, 360)
    guard let place = TileCoordinate(zoom: Self.stateZoom, latitude: latitude, longitude: wrapped) else { return .none }
    let states = try stateTile(at: place)
    let point = MercatorPoint(latitude: latitude, longitude: wrapped)
    let scale = GroundScale(latitude: latitude)
    let state = states.nearest(to: point, in: place, within: Self.coast, scale)
    let towns = try self.towns(near: point, scale)
    var code = state?.code ?? towns.first?.code ?? ""
    if let nearest = towns.first, nearest.distance <= Self.ownCountry { code = nearest.code }
    var result = PlaceName(country: countries[code]?.name, countryCode: code.isEmpty ? nil : code)
    let ownState = state?.code == code ? state : states.nearest(to: point, in: place, within: Self.coast, scale, code: code)
    result.state = ownState.flatMap { $0.name.isEmpty ? nil : $0.name }
    if let town = Self.town(of: towns, in: code) {
      result.town = town.name
      result.townDistance = town.distance
    }
    return result
  }

  /// The town of a position, from towns sorted by distance.
  private static func town(of towns: [NearTown], in code: String) -> NearTown? {
    let own = code.isEmpty ? towns : towns.filter { $0.code == code }
    if let first = own.first, first.distance <= townRounding { return first }
    return own.filter(\.containsPosition).max { $0.population < $1.population }
      ?? own.min { $0.weightedDistance < $1.weightedDistance }
  }

  /// The towns within range of a position, the nearest first; empty for numbers that are not finite.
  func towns(near latitude: Double, _ longitude: Double) throws(TileArchiveError) -> [NearTown] {
    let wrapped = remainder(longitude, 360)
    guard TileCoordinate(zoom: Self.townZoom, latitude: latitude, longitude: wrapped) != nil else { return [] }
    return try towns(near: MercatorPoint(latitude: latitude, longitude: wrapped), GroundScale(latitude: latitude))
  }

  /// The towns within range, the nearest first.
  private func towns(near point: MercatorPoint, _ scale: GroundScale) throws(TileArchiveError) -> [NearTown] {
    let side = Double(1 << Self.townZoom)
    let range = scale.world(meters: Self.townRange)
    let rows = Int(max((point.y - range) * side, 0))...Int(min((point.y + range) * side, side - 1))
    // Near a pole the range includes all longitudes; the tiles beside the position are sufficient.
    let middle = Int((point.x * side).rounded(.down))
    let columns =
      max(
        Int(((point.x - range) * side).rounded(.down)), middle - 3)...min(
        Int(((point.x + range) * side).rounded(.down)), middle + 3)
    var found: [NearTown] = []
    for row in rows {
      for column in columns {
        let wrapped = (column + 1 << Self.townZoom) % (1 << Self.townZoom)
        guard let place = TileCoordinate(zoom: Self.townZoom, column: wrapped, row: row) else { continue }
        let shift = Double(column - wrapped) / side
        let local = MercatorPoint(x: point.x - shift, y: point.y)
        try townTile(at: place).add(to: &found, near: local, in: place, within: Self.townRange, scale)
      }
    }
    return found.sorted { $0.distance < $1.distance }
  }

  private func stateTile(at place: TileCoordinate) throws(TileArchiveError) -> StateTile {
    if let known = cache.withLock({ $0.states[place] }) { return known }
    let tile: StateTile
    let layer = try Self.layer("state", of: world, at: place)
    do throws(VectorTileError) { tile = try StateTile(layer) } catch {
      throw .damaged("\(error)")
    }
    cache.withLock { $0.states[place] = tile }
    return tile
  }

  private func townTile(at place: TileCoordinate) throws(TileArchiveError) -> TownTile {
    if let known = cache.withLock({ $0.towns[place] }) { return known }
    let tile: TownTile
    let layer = try Self.layer("town", of: names, at: place)
    do throws(VectorTileError) { tile = try TownTile(layer) } catch {
      throw .damaged("\(error)")
    }
    cache.withLock { $0.towns[place] = tile }
    return tile
  }

  private static func layer(
    _ name: String, of archive: TileArchive, at place: TileCoordinate
  ) throws(TileArchiveError) -> VectorTile.Layer? {
    guard let stored = try archive.tile(at: place) else { return nil }
    let bytes = try stored.decompressed()
    do throws(VectorTileError) { return try VectorTile(bytes)[name] } catch { throw .damaged("\(error)") }
  }
}

/// Distances on the ground around a latitude. Web Mercator is stretched there by 1/cos(latitude) in both directions.
struct GroundScale {
  /// The width of the world's square at the equator in metres: the equator of WGS 84, 2π · 6,378,137 m.
  private static let equator = 40_075_016.69
  /// The width of the world's square at the latitude in metres. The latitude is limited to ±89°, where the square is 57 times too wide.
  let square: Double

  init(latitude: Double) {
    square = Self.equator * cos(min(max(latitude, -89), 89) * .pi / 180)
  }

  /// A distance in units of the world's square.
  func world(meters: Double) -> Double { meters / square }
}

/// A cache of the most recently used values by key.
struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var values: [Key: (value: Value, use: UInt64)] = [:]
  private var uses: UInt64 = 0

  /// Creates an empty cache.
  /// - Parameter limit: the maximum number of values. Beyond it, the least recently used value is removed.
  init(limit: Int) { self.limit = limit }

  subscript(key: Key) -> Value? {
    mutating get {
      uses += 1
      values[key]?.use = uses
      return values[key]?.value
    }
    set {
      if newValue != nil, values[key] == nil, values.count >= limit, let oldest = values.min(by: { $0.value.use < $1.value.use })
      {
        values[oldest.key] = nil
      }
      uses += 1
      values[key] = newValue.map { ($0, uses) }
    }
  }
}
