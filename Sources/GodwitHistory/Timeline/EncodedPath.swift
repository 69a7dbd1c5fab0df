/// Encodes the positions of a path compactly as five integers each: milliseconds, latitude and longitude (1e-7 degrees), the raw
/// value of ``Motion``, and centimetres. All except the motion are differences from the previous position.
@propertyWrapper
struct EncodedPath: Sendable, Hashable, Codable {
  package var wrappedValue: [TimelineBuilder.Step]

  package init(wrappedValue: [TimelineBuilder.Step]) { self.wrappedValue = wrappedValue }

  private static let numbers = 5

  package func encode(to encoder: any Encoder) throws {
    var compressed: [Int64] = []
    compressed.reserveCapacity(wrappedValue.count * Self.numbers)
    var before = Row()
    for step in wrappedValue {
      let row = Row(step)
      compressed += [
        row.time - before.time, row.latitude - before.latitude, row.longitude - before.longitude, Int64(step.motion),
        row.centimetres - before.centimetres,
      ]
      before = row
    }
    var container = encoder.singleValueContainer()
    try container.encode(compressed)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let compressed = try container.decode([Int64].self)
    func fault(_ text: String) -> DecodingError { .dataCorruptedError(in: container, debugDescription: text) }
    guard compressed.count.isMultiple(of: Self.numbers) else {
      throw fault("\(compressed.count) numbers are not a list of steps")
    }
    wrappedValue = []
    wrappedValue.reserveCapacity(compressed.count / Self.numbers)
    var row = Row()
    for start in stride(from: 0, to: compressed.count, by: Self.numbers) {
      row.time &+= compressed[start]
      row.latitude &+= compressed[start + 1]
      row.longitude &+= compressed[start + 2]
      row.centimetres &+= compressed[start + 4]
      guard (-900_000_000...900_000_000).contains(row.latitude), (-1_800_000_000...1_800_000_000).contains(row.longitude),
        let motion = UInt8(exactly: compressed[start + 3])
      else { throw fault("step \(start / Self.numbers) is not a valid position") }
      let point = TimelinePoint(time: row.time, latitude: Int32(row.latitude), longitude: Int32(row.longitude), motion: motion)
      wrappedValue.append(TimelineBuilder.Step(point, metres: Double(row.centimetres) / 100))
    }
  }

  private struct Row {
    var time: Int64 = 0
    var latitude: Int64 = 0
    var longitude: Int64 = 0
    var centimetres: Int64 = 0

    init() {}

    init(_ step: TimelineBuilder.Step) {
      (time, latitude, longitude) = (step.time, Int64(step.latitude), Int64(step.longitude))
      centimetres = Int64((step.metres * 100).rounded())
    }
  }
}
