extension RegionShape {
  /// The circle itself, or the smallest one around the polygons; of a beacon nothing.
  public var enclosingCircle: Circle? {
    switch self {
    case .circle(let circle): circle
    case .polygons(let area): area.enclosingCircle
    case .beacon: nil
    }
  }

  /// The beacon, where it is one.
  public var beacon: Beacon? {
    switch self {
    case .circle, .polygons: nil
    case .beacon(let beacon): beacon
    }
  }

  /// Where it is: the middle of its circle, or where the beacon was put up, if somebody said.
  public var center: Coordinate? {
    switch self {
    case .circle(let circle): circle.center
    case .polygons(let area): area.enclosingCircle.center
    case .beacon(let beacon): beacon.place
    }
  }

  /// Whether a place is in it. None is in a beacon.
  public func contains(_ place: Coordinate) -> Bool {
    switch self {
    case .circle(let circle): circle.contains(place)
    case .polygons(let area): area.contains(place)
    case .beacon: false
    }
  }

  /// Metres from a place to its edge, negative inside; of a beacon nothing.
  public func distanceToEdge(from place: Coordinate) -> Meters? {
    switch self {
    case .circle(let circle): circle.distanceToEdge(from: place)
    case .polygons(let area): area.distanceToEdge(from: place)
    case .beacon: nil
    }
  }
}

extension RegionMention {
  /// A region as it is now.
  public init(_ region: Region) {
    let shape = region.shape
    self.init(
      id: region.id, name: region.name, tags: region.tags, center: shape.center, radius: shape.enclosingCircle?.radius,
      beacon: shape.beacon?.identity)
  }
}
