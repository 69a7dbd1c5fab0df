package import Foundation
internal import GodwitModel

/// GPS-ordered Activity Labels (Eftelioglu, Wolff, Nimmagadda, Kumar, Chowdhury: Deep classification of frequently-changing activities
/// from GPS trajectories, IWCTS 2022): pieces of six minutes from the work of delivery agents, with one position every five seconds and
/// a label whether the agent drove.
///
/// The repository `amazon-science/goal-gps-ordered-activity-labels` has it under CC BY 4.0. The folder is `data_anon` in its
/// `trajectories.zip`.
package struct Deliveries {
  /// A position with its label.
  package struct Position: Sendable {
    /// Milliseconds since the first position of the piece.
    package var time: Int64
    /// Metres to the east and to the north of a place that the set does not specify.
    package var x: Double
    package var y: Double
    /// Whether the agent drove. Otherwise the agent was on foot, or in the vehicle without driving.
    package var isDriving: Bool

    package init(time: Int64, x: Double, y: Double, isDriving: Bool) {
      (self.time, self.x, self.y, self.isDriving) = (time, x, y, isDriving)
    }
  }

  /// The names of the pieces, sorted.
  package let files: [String]
  private let folder: URL

  /// - Throws: ``DatasetError`` if the folder has no piece.
  package init(folder: URL) throws(DatasetError) {
    self.folder = folder
    files = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
      $0.hasPrefix("trajectory_") && $0.hasSuffix(".csv")
    }.sorted()
    guard !files.isEmpty else {
      throw DatasetError(
        path: folder.path, reason: "it has no trajectory_NUMBER.csv; it must be the folder data_anon of trajectories.zip")
    }
  }

  /// Reads the positions of a piece.
  /// - Throws: ``DatasetError`` for a row without a time, a position within 1,000 km and a label, or with a time before the previous one.
  package func positions(of file: String) throws(DatasetError) -> [Position] {
    let table = try CSVTable(folder.appendingPathComponent(file))
    let (time, x, y, label) = try (table.column("timestamp"), table.column("x"), table.column("y"), table.column("groundtruth"))
    var start: Date?
    var positions: [Position] = []
    for row in table.rows {
      guard let date = RFC3339.date(row.values[time] + "Z"), let east = Double(row.values[x]), let north = Double(row.values[y]),
        abs(east) < 1e6, abs(north) < 1e6, let isDriving = ["Driving": true, "OnFoot": false][row.values[label]]
      else { throw table.error(row, "is no time, position in metres and label") }
      let passed = Int64((date.timeIntervalSince(start ?? date) * 1000).rounded())
      start = start ?? date
      guard passed >= positions.last?.time ?? 0 else { throw table.error(row, "is older than the one before") }
      positions.append(Position(time: passed, x: east, y: north, isDriving: isDriving))
    }
    return positions
  }
}
