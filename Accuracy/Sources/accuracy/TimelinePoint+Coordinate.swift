import Foundation
import GodwitHistory
import GodwitModel

extension TimelinePoint {
  /// - Parameters:
  ///   - coordinate: the position.
  ///   - time: the time of the position.
  ///   - accuracy: the accuracy in metres; `nil` and negative numbers mean that it is unknown.
  init(_ coordinate: Coordinate, at time: Date, accuracy: Meters? = nil) {
    self.init(
      time: time.millisecondsSince1970, latitude: Int32((coordinate.latitude * 1e7).rounded()),
      longitude: Int32((coordinate.longitude * 1e7).rounded()), accuracy: Int32(min(max(accuracy ?? 0, 0), 1e6)))
  }
}
