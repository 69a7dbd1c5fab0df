package import Foundation
internal import GodwitModel

/// The open geolocation data of the Smart Survey Implementation project (Statistics Netherlands and Utrecht University, 2024): positions of
/// phones, one per second, with the stops and the means of transport from diaries that their owners kept.
///
/// The repository `essnet-ssi/geoservice-ssi` has it under EUPL 1.2. The folder is its `open_geo_data/split-by-day`, with a file for each
/// user and day.
package struct StayDiaries {
  /// A position with the entry of the diary for its time.
  package struct Sample: Sendable, Hashable {
    /// Seconds since 1970.
    package var time: Int64
    /// Degrees.
    package var latitude: Double
    package var longitude: Double
    /// Whether the diary has a stop at this time.
    package var isStop: Bool

    package init(time: Int64, latitude: Double, longitude: Double, isStop: Bool) {
      (self.time, self.latitude, self.longitude, self.isStop) = (time, latitude, longitude, isStop)
    }
  }

  /// The users, sorted.
  package let users: [String]
  private let days: [String: [URL]]
  /// The names of all files that are read, relative to the folder.
  package var files: [String] { days.values.joined().map(\.lastPathComponent) }

  /// - Throws: ``DatasetError`` if the folder has no file of the set.
  package init(folder: URL) throws(DatasetError) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var files: [String: [URL]] = [:]
    // ssi_open_geodata-Utrecht1-2024-05-29.csv
    for name in names.sorted() where name.hasPrefix("ssi_open_geodata-") && name.hasSuffix(".csv") {
      files[String(name.split(separator: "-")[1]), default: []].append(folder.appendingPathComponent(name))
    }
    guard !files.isEmpty else {
      throw DatasetError(
        path: folder.path, reason: "it has no ssi_open_geodata-USER-DAY.csv; it must be the folder open_geo_data/split-by-day")
    }
    days = files
    users = files.keys.sorted()
  }

  /// Reads the positions of a user with an entry of the diary, in order of time. Of several in one second, the first is used.
  package func samples(of user: String) throws -> [Sample] {
    var samples: [Sample] = []
    for file in days[user] ?? [] {
      let text = try String(contentsOf: file, encoding: .utf8)
      for (index, line) in text.split(whereSeparator: \.isNewline).enumerated().dropFirst() {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 5, let time = RFC3339.date(String(fields[1])), let latitude = Double(fields[2]),
          let longitude = Double(fields[3]), Coordinate(latitude: latitude, longitude: longitude) != nil
        else { throw DatasetError(path: file.path, reason: "line \(index + 1) is not a user, a time, a position and a stop") }
        guard let isStop = ["TRUE": true, "FALSE": false][fields[4]] else { continue }
        samples.append(
          Sample(time: Int64(time.timeIntervalSince1970), latitude: latitude, longitude: longitude, isStop: isStop))
      }
    }
    var last = Int64.min
    // The sort is stable.
    return samples.sorted { $0.time < $1.time }.filter { sample in
      defer { last = sample.time }
      return sample.time != last
    }
  }
}
