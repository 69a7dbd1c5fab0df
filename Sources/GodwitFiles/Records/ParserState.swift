internal import GodwitTracks

/// The state of a parser in a checkpoint.
enum ParserState: Sendable, Hashable, Codable {
  case gpx(GPXParser.State)
  case nmea(NMEAParser.State)
  case lines(LineState)
  case json(JSONStream.State)
  case fit(FITRecords.State)

  /// - Parameter state: the state that a parser returned. The initializer returns `nil` for states of other parsers, whose
  ///   files are read again from the beginning.
  init?(_ state: any ParsingState) {
    switch state {
    case let state as GPXParser.State: self = .gpx(state)
    case let state as NMEAParser.State: self = .nmea(state)
    case let state as LineState: self = .lines(state)
    case let state as JSONStream.State: self = .json(state)
    case let state as FITRecords.State: self = .fit(state)
    default: return nil
    }
  }

  /// The state that the parser returned.
  var state: any ParsingState {
    switch self {
    case .gpx(let state): state
    case .nmea(let state): state
    case .lines(let state): state
    case .json(let state): state
    case .fit(let state): state
    }
  }

  /// The first byte that the parser needs.
  var byte: Int { state.byte }
}
