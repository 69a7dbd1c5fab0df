internal import GodwitModel

/// A part of a line of an overview, with its bounding box. It is the unit of storage and search. A line continues in the next piece
/// if that piece begins with the last vertex of this one.
package struct OverviewPiece: Sendable, Hashable {
  package let box: Box
  /// Times of the first and the last vertex, milliseconds since 1970.
  package let first: Int64
  package let last: Int64
  /// The vertices, as ``Encoding`` writes them.
  package let data: [UInt8]

  /// A bounding box, in 1e-7 degrees.
  package struct Box: Sendable, Hashable {
    package var west: Int32
    package var south: Int32
    package var east: Int32
    package var north: Int32
  }

  /// Maximum vertices of a piece. Fewer vertices cause many rows, more cause large boxes.
  package static let maximum = 64

  /// Divides a line into pieces.
  /// - Parameters:
  ///   - line: the vertices, in the order of their times; not empty.
  ///   - level: the level. Vertices are rounded to its unit.
  package static func pieces(of line: [TrackVertex], _ level: OverviewLevel) -> [OverviewPiece] {
    var pieces: [OverviewPiece] = []
    var start = 0
    repeat {
      let end = min(start + maximum, line.count)
      pieces.append(OverviewPiece(line[start..<end], level))
      // The last vertex of a piece is the first of the next.
      start = end - 1
    } while start < line.count - 1
    return pieces
  }

  private init(_ vertices: ArraySlice<TrackVertex>, _ level: OverviewLevel) {
    var box = Box(west: .max, south: .max, east: .min, north: .min)
    for vertex in vertices {
      box.west = min(box.west, vertex.longitude)
      box.east = max(box.east, vertex.longitude)
      box.south = min(box.south, vertex.latitude)
      box.north = max(box.north, vertex.latitude)
    }
    self.box = box
    first = vertices.first?.time ?? 0
    last = vertices.last?.time ?? 0
    data = Encoding.write(vertices, unit: level.unit)
  }

  /// Encodes vertices as differences. Each difference is an integer with seven bits per byte and its sign in the lowest bit: time
  /// in seconds, latitude and longitude in the level's unit, altitude in metres. The first byte is 1 if all vertices have an
  /// altitude; otherwise altitudes are omitted.
  package enum Encoding {
    package static func write(_ vertices: ArraySlice<TrackVertex>, unit: Int32) -> [UInt8] {
      let hasAltitude = vertices.allSatisfy { $0.altitude != nil }
      var bytes: [UInt8] = [hasAltitude ? 1 : 0]
      bytes.reserveCapacity(vertices.count * 6)
      var last = (time: Int64(0), latitude: Int64(0), longitude: Int64(0), altitude: Int64(0))
      for vertex in vertices {
        let now = (
          time: seconds(vertex.time), latitude: rounded(vertex.latitude, unit), longitude: rounded(vertex.longitude, unit),
          altitude: Int64(vertex.altitude ?? 0)
        )
        append(now.time - last.time, to: &bytes)
        append(now.latitude - last.latitude, to: &bytes)
        append(now.longitude - last.longitude, to: &bytes)
        if hasAltitude { append(now.altitude - last.altitude, to: &bytes) }
        last = now
      }
      return bytes
    }

    /// Decodes the output of `write`. Stops at the first fault.
    /// - Parameter body: called with each vertex.
    package static func read(_ bytes: [UInt8], unit: Int32, _ body: (TrackVertex) -> Void) {
      bytes.withUnsafeBufferPointer { bytes in
        guard let kind = bytes.first else { return }
        var index = 1
        var last = (time: Int64(0), latitude: Int64(0), longitude: Int64(0), altitude: Int64(0))
        while let time = next(bytes, &index), let latitude = next(bytes, &index), let longitude = next(bytes, &index) {
          var altitude: Int32?
          if kind == 1 {
            guard let difference = next(bytes, &index) else { return }
            last.altitude &+= difference
            altitude = Int32(truncatingIfNeeded: last.altitude)
          }
          last.time &+= time
          last.latitude &+= latitude
          last.longitude &+= longitude
          // Rounding may exceed a pole or the antimeridian.
          body(
            TrackVertex(
              time: last.time &* 1000, latitude: clamped(last.latitude &* Int64(unit), 900_000_000),
              longitude: clamped(last.longitude &* Int64(unit), 1_800_000_000), altitude: altitude))
        }
      }
    }

    private static func clamped(_ value: Int64, _ maximum: Int64) -> Int32 { Int32(max(-maximum, min(maximum, value))) }

    private static func seconds(_ time: Int64) -> Int64 { time >= 0 ? time / 1000 : (time - 999) / 1000 }

    private static func rounded(_ value: Int32, _ unit: Int32) -> Int64 {
      let (value, unit) = (Int64(value), Int64(unit))
      return (value >= 0 ? value + unit / 2 : value - unit / 2) / unit
    }

    @inline(__always)
    private static func append(_ value: Int64, to bytes: inout [UInt8]) {
      var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
      while rest > 127 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
        rest >>= 7
      }
      bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    private static func next(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Int64? {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while index < bytes.count, shift < 64 {
        let byte = bytes[index]
        index += 1
        value |= UInt64(byte & 127) << shift
        if byte < 128 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
        shift += 7
      }
      return nil
    }
  }
}
