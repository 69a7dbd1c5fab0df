/// What a road is. The order is that of the numbers in files.
package enum RoadKind: UInt8, Sendable, Hashable, CaseIterable {
  case motorway, trunk, primary, secondary, tertiary, street, livingStreet, service, track
  case cycleway, path, pedestrian, steps
  case rail, lightRail, subway, tram, ferry, other
}

/// How a person moves, as far as it decides which roads are open.
package enum Travel: UInt8, Sendable, Hashable, CaseIterable {
  case motor, bicycle, foot, rail

  /// The bit for travel along the order of the road's points; the next bit is for travel against it.
  var forwardBit: UInt32 { 1 << (UInt32(rawValue) * 2) }
}

/// The kind of a road and the directions in which it may be travelled.
package struct RoadAttributes: Sendable, Hashable {
  /// Bits 0 to 7: for each ``Travel`` forward and backward. Bits 8 to 12: the kind. A graph keeps the directions of an edge's ends in
  /// bits 16 to 31: see ``RoadGraph/Edge/setDirections(first:last:)``.
  var bits: UInt32

  init(bits: UInt32) { self.bits = bits }

  /// Creates a road that is closed to everything.
  package init(kind: RoadKind) { bits = UInt32(kind.rawValue) << 8 }

  package var kind: RoadKind { RoadKind(rawValue: UInt8(truncatingIfNeeded: bits >> 8) & 31) ?? .other }

  /// Opens the road for travel along the order of its points, against it, or both.
  package mutating func open(to travel: Travel, forward: Bool, backward: Bool) {
    if forward { bits |= travel.forwardBit }
    if backward { bits |= travel.forwardBit << 1 }
  }

  /// Whether the road may be travelled.
  /// - Parameter reversed: Against the order of its points.
  @inline(__always)
  package func isOpen(to travel: Travel, reversed: Bool) -> Bool {
    bits & (travel.forwardBit << (reversed ? 1 : 0)) != 0
  }

  /// The same road with its points in the opposite order.
  var reversed: RoadAttributes {
    RoadAttributes(bits: bits & ~0xff | (bits & 0x55) << 1 | (bits & 0xaa) >> 1)
  }
}
