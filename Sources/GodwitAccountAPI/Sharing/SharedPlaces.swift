internal import GodwitModel
internal import GodwitText

/// Positions of a link: `[milliseconds, latitude, longitude, accuracy]`. Consecutive positions in one grid cell are written
/// once, with the time of entry. If there are too many positions, every second position is removed until the number is
/// within the limit.
struct SharedPlaces {
  private let precision: Precision
  private var places: [(time: Int64, text: String)] = []
  private var last: Coordinate?
  private var stride = 1
  private var count = 0
  private var newest: (time: Int64, text: String)?

  init(_ precision: Precision) { self.precision = precision }

  mutating func append(_ fix: Fix) {
    let reported = precision.applied(to: fix)
    if precision != .exact, reported.coordinate == last { return }
    last = reported.coordinate
    let place = (time: reported.time.millisecondsSince1970, text: Self.text(reported))
    newest = place
    count += 1
    guard count % stride == 0 else { return }
    places.append(place)
    if places.count > LinkAPI.maximumPoints {
      places = places.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      stride *= 2
    }
  }

  var text: String {
    var all = places.map(\.text)
    // The newest position is always included.
    if let newest, places.last.map({ $0.time != newest.time }) ?? true { all.append(newest.text) }
    return all.joined(separator: ",")
  }

  private static func text(_ fix: Fix) -> String {
    var bytes: [UInt8] = []
    JSONWriter.raw("[", to: &bytes)
    JSONWriter.number(Int(fix.time.millisecondsSince1970), to: &bytes)
    JSONWriter.raw(",", to: &bytes)
    JSONWriter.number(fix.coordinate.latitude, decimals: 6, to: &bytes)
    JSONWriter.raw(",", to: &bytes)
    JSONWriter.number(fix.coordinate.longitude, decimals: 6, to: &bytes)
    JSONWriter.raw(",", to: &bytes)
    if let accuracy = fix.horizontalAccuracy {
      JSONWriter.number(accuracy, decimals: 0, to: &bytes)
    } else {
      JSONWriter.raw("null", to: &bytes)
    }
    JSONWriter.raw("]", to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
