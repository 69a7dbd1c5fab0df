internal import Foundation

/// The form of a correction in the database: a JSON object without nesting. Its members must never be renamed.
extension TimelineCorrection.Body: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, action, start, end, open, position, name, at, mode
    case place = "named_place"
    case newPosition = "new_position"
    case newStart = "new_start"
    case newEnd = "new_end"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(target.kind, forKey: .kind)
    try container.encode(action.name, forKey: .action)
    try container.encode(target.start, forKey: .start)
    try container.encode(target.end, forKey: .end)
    if target.isOpen { try container.encode(true, forKey: .open) }
    try container.encodeIfPresent(target.place, forKey: .position)
    switch action {
    case .rename(.text(let name)): try container.encode(name, forKey: .name)
    case .rename(.place(let number)): try container.encode(number, forKey: .place)
    case .move(let move):
      try container.encodeIfPresent(move.place, forKey: .newPosition)
      try container.encodeIfPresent(move.start, forKey: .newStart)
      try container.encodeIfPresent(move.end, forKey: .newEnd)
    case .split(let time, let place):
      try container.encode(time, forKey: .at)
      try container.encodeIfPresent(place, forKey: .newPosition)
    case .mode(let mode): try container.encode(mode, forKey: .mode)
    case .confirm, .merge, .delete: break
    }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    target = TimelineCorrection.Target(
      try container.decode(TimelineCorrection.Target.Kind.self, forKey: .kind),
      start: try container.decode(Int64.self, forKey: .start), end: try container.decode(Int64.self, forKey: .end),
      isOpen: try container.decodeIfPresent(Bool.self, forKey: .open) ?? false,
      place: try container.decodeIfPresent(FixedPosition.self, forKey: .position))
    switch try container.decode(TimelineCorrection.Action.Name.self, forKey: .action) {
    case .confirm: action = .confirm
    case .merge: action = .merge
    case .delete: action = .delete
    case .rename:
      if let name = try container.decodeIfPresent(String.self, forKey: .name) {
        action = .rename(.text(name))
      } else {
        action = .rename(.place(try container.decode(Int64.self, forKey: .place)))
      }
    case .move:
      action = .move(
        TimelineCorrection.Move(
          place: try container.decodeIfPresent(FixedPosition.self, forKey: .newPosition),
          start: try container.decodeIfPresent(Int64.self, forKey: .newStart),
          end: try container.decodeIfPresent(Int64.self, forKey: .newEnd)))
    case .split:
      action = .split(
        at: try container.decode(Int64.self, forKey: .at),
        place: try container.decodeIfPresent(FixedPosition.self, forKey: .newPosition))
    case .mode: action = .mode(try container.decode(TravelMode.self, forKey: .mode))
    }
  }
}

/// An array of latitude and longitude, in 1e-7 degrees.
extension FixedPosition: Codable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode([latitude, longitude])
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let numbers = try container.decode([Int32].self)
    guard numbers.count == 2, abs(Int64(numbers[0])) <= 900_000_000, abs(Int64(numbers[1])) <= 1_800_000_000 else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(numbers) is not a position")
    }
    (latitude, longitude) = (numbers[0], numbers[1])
  }
}
