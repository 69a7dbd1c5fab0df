import Foundation
import GodwitModel
import GodwitSimulator

/// The life of the phone's user: days at home and at work.
enum Life {
  /// An invented home.
  private static let home = (latitude: 45.5, longitude: 14.0)

  /// A region around the home, as the body of a request.
  static let region = #"{"id":"home","name":"Home","center":{"latitude":45.5,"longitude":14},"radius":300}"#

  /// Returns a track in which the user stays at home or drives to work and back each day. The seed determines the times.
  static func truth(seed: UInt64, days: Int, from start: SimulatedTime) throws -> Truth {
    var random = RandomSource(seed: seed, stream: "life")
    var tracks: [[Fix]] = [[fix(at: start, north: 0, east: 0)]]
    for day in 0..<days {
      let midnight = start + Double(day) * 86_400
      guard random.happens(0.8) else { continue }
      let begin = midnight + random.uniform(6 * 3600...9 * 3600).rounded()
      let back = midnight + random.uniform(15 * 3600...19 * 3600).rounded()
      let (speed, course) = (random.uniform(8...16), random.direction())
      let seconds = random.uniform(900...3000).rounded()
      tracks.append(drive(from: begin, seconds: seconds, speed: speed, course: course, begin: 0))
      tracks.append(drive(from: back, seconds: seconds, speed: -speed, course: course, begin: speed * seconds))
    }
    tracks.append([fix(at: start + Double(days + 2) * 86_400, north: 0, east: 0)])
    return try Truth(days: tracks)
  }

  private static func drive(
    from start: SimulatedTime, seconds: Double, speed: Double, course: (north: Double, east: Double), begin: Double
  ) -> [Fix] {
    stride(from: 0, through: seconds, by: 10).map { second in
      let distance = begin + speed * second
      return fix(at: start + second, north: distance * course.north, east: distance * course.east)
    }
  }

  private static func fix(at time: SimulatedTime, north: Double, east: Double) -> Fix {
    let degree = 111_195.0
    let latitude = home.latitude + north / degree
    let longitude = home.longitude + east / (degree * 0.7)
    return Fix(
      time: time.date, coordinate: Coordinate(latitude: latitude, longitude: longitude)!)  // within 60 km of home
  }
}
