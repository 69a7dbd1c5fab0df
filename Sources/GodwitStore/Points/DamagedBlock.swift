internal import GodwitModel

/// A block of sealed points whose content is damaged. All other points can be read.
package struct DamagedBlock: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number of the device.
  package let device: Int64
  /// The device's name.
  package let name: String
  /// The times of the points, milliseconds since 1970.
  package let times: ClosedRange<Int64>
  /// How many points the block has.
  package let count: Int
  /// What is wrong with the content, for the description.
  package let reason: String

  init(_ header: BlockTable.Header, name: String, reason: String) {
    self.name = name
    (device, times, count) = (header.device, header.times, header.count)
    self.reason = reason
  }

  /// The days of the points (UTC), such as "2026-03-01 to 2026-03-04".
  package var days: String {
    let (first, last) = (Self.day(times.lowerBound), Self.day(times.upperBound))
    return first == last ? first : "\(first) to \(last)"
  }

  private static func day(_ time: Int64) -> String { DamagedDay.text(DayLength.number(of: time)) }

  package var description: String {
    """
    \(count.counted("stored point")) of the device "\(name)", \(days) (UTC), \(count == 1 ? "is" : "are") damaged: \(reason). All other points can be read. \
    Restore them with `godwit verify --repair-from SNAPSHOT`.
    """
  }
}
