/// The kind of a road. The raw values are stored in files.
package enum RoadKind: UInt8, Sendable, Hashable, CaseIterable {
  case motorway, trunk, primary, secondary, tertiary, street, livingStreet, service, track
  case cycleway, path, pedestrian, steps
  case rail, lightRail, subway, tram, ferry, other
}

/// The kind of travel, as far as it determines which roads are open.
package enum Travel: UInt8, Sendable, Hashable, CaseIterable {
  case motor, bicycle, foot, rail

  /// The bit for travel in the order of the road's points. The next bit is for the opposite direction.
  var forwardBit: UInt32 { 1 << (UInt32(rawValue) * 2) }
}

/// The kind of a road, and its permitted directions of travel.
package struct RoadAttributes: Sendable, Hashable {
  /// Bits 0 to 7: forward and backward for each ``Travel``. Bits 8 to 12: the kind. In a graph, bits 16 to 31 contain the
  /// directions of an edge's ends; see ``RoadGraph/Edge/setDirections(first:last:)``.
  var bits: UInt32

  init(bits: UInt32) { self.bits = bits }

  /// Creates a road that is closed to all travel.
  package init(kind: RoadKind) { bits = UInt32(kind.rawValue) << 8 }

  package var kind: RoadKind { RoadKind(rawValue: UInt8(truncatingIfNeeded: bits >> 8) & 31) ?? .other }

  /// Opens the road for travel in the order of its points, in the opposite direction, or both.
  package mutating func open(to travel: Travel, forward: Bool, backward: Bool) {
    if forward { bits |= travel.forwardBit }
    if backward { bits |= travel.forwardBit << 1 }
  }

  /// Returns whether the road is open to a kind of travel.
  /// - Parameter reversed: Whether the travel is against the order of the points.
  @inline(__always)
  package func isOpen(to travel: Travel, reversed: Bool) -> Bool {
    bits & (travel.forwardBit << (reversed ? 1 : 0)) != 0
  }

  /// The attributes of the road with its points in reverse order.
  var reversed: RoadAttributes {
    RoadAttributes(bits: bits & ~0xff | (bits & 0x55) << 1 | (bits & 0xaa) >> 1)
  }
}
