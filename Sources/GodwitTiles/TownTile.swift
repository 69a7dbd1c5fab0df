#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The towns of one tile. Their positions are decoded first, their attributes on request.
struct TownTile: Sendable {
  private let layer: VectorTile.Layer?
  private var xs: [Double] = []
  private var ys: [Double] = []

  /// Decodes a layer. Without a layer the tile has no towns.
  init(_ layer: VectorTile.Layer?) throws(VectorTileError) {
    self.layer = layer
    for feature in layer?.features ?? [] {
      let point = try layer?.parts(of: feature).first?.first
      xs.append(Double(point?.x ?? .max))
      ys.append(Double(point?.y ?? .max))
    }
  }

  /// Adds the towns within a distance in metres of a position.
  func add(
    to found: inout [NearTown], near point: MercatorPoint, in place: TileCoordinate, within distance: Double, _ scale: GroundScale
  ) {
    guard let layer else { return }
    let units = Double(layer.units)
    let x = (point.x - place.west) / place.width * units
    let y = (point.y - place.north) / place.width * units
    let meters = scale.square * place.width / units
    let limit = distance / meters
    for index in xs.indices {
      let (dx, dy) = (xs[index] - x, ys[index] - y)
      let squared = dx * dx + dy * dy
      guard squared <= limit * limit else { continue }
      let center = MercatorPoint(
        x: place.west + xs[index] / units * place.width, y: place.north + ys[index] / units * place.width)
      found.append(
        NearTown(layer: layer, feature: layer.features[index], distance: squared.squareRoot() * meters, center: center))
    }
  }
}

/// A town near a position.
struct NearTown {
  /// Minimum population: some towns have none in the table.
  private static let minimumPopulation = 500.0
  /// Inhabitants per square metre, for the radius within which a position is in the city and not in one of its districts, which are towns
  /// of the table too: 20,000 per km², the density of Paris.
  private static let density = 0.02

  let code: String
  /// The distance to the position in metres.
  let distance: Double
  let population: Double
  let center: MercatorPoint
  private let layer: VectorTile.Layer
  private let feature: VectorTile.Feature

  init(layer: VectorTile.Layer, feature: VectorTile.Feature, distance: Double, center: MercatorPoint) {
    (self.layer, self.feature, self.distance, self.center) = (layer, feature, distance, center)
    code = layer.text("c", of: feature)
    population = max(layer.number("pop", of: feature), Self.minimumPopulation)
  }

  /// The distance divided by the cube root of the population.
  var weightedDistance: Double { distance / cbrt(population) }
  /// Whether the circle of the city's area contains the position.
  var containsPosition: Bool { distance * distance * .pi * Self.density <= population }

  var name: String { layer.text("name", of: feature) }
}
