extension RegionShape {
  /// The circle itself, or the smallest one around the polygons; `nil` for a beacon.
  public var enclosingCircle: Circle? {
    switch self {
    case .circle(let circle): circle
    case .polygons(let area): area.enclosingCircle
    case .beacon: nil
    }
  }

  /// The beacon; `nil` for other shapes.
  public var beacon: Beacon? {
    switch self {
    case .circle, .polygons: nil
    case .beacon(let beacon): beacon
    }
  }

  /// The centre of the enclosing circle, or the position of the beacon if known.
  public var center: Coordinate? {
    switch self {
    case .circle(let circle): circle.center
    case .polygons(let area): area.enclosingCircle.center
    case .beacon(let beacon): beacon.place
    }
  }

  /// Returns whether a place is inside. A beacon contains no place.
  public func contains(_ place: Coordinate) -> Bool {
    switch self {
    case .circle(let circle): circle.contains(place)
    case .polygons(let area): area.contains(place)
    case .beacon: false
    }
  }

  /// Returns the distance in metres from a place to the edge, negative inside; `nil` for a beacon.
  public func distanceToEdge(from place: Coordinate) -> Meters? {
    switch self {
    case .circle(let circle): circle.distanceToEdge(from: place)
    case .polygons(let area): area.distanceToEdge(from: place)
    case .beacon: nil
    }
  }
}

extension RegionMention {
  /// Creates a mention of a region's current state.
  public init(_ region: Region) {
    let shape = region.shape
    self.init(
      id: region.id, name: region.name, tags: region.tags, center: shape.center, radius: shape.enclosingCircle?.radius,
      beacon: shape.beacon?.identity)
  }
}
