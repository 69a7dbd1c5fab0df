package import Foundation
package import GodwitFiles
internal import GodwitModel
package import GodwitTracks

/// An import of a file, active or ended.
package struct ImportJob: Sendable {
  /// The state of an import.
  package enum State: String, Sendable, Codable, CaseIterable {
    case waiting, running, done, failed, cancelled
    /// The file was read to the end, but contains no records that can be stored.
    case nothingUsable = "nothing_usable"
  }

  package let id: Int64
  package let place: String
  package let path: String
  package let stamp: String
  package let name: String
  package let size: Int
  package let account: Int64?
  package let options: ImportOptions
  package let state: State
  package let batch: Int64
  package let position: Int
  /// The position from which it continues; `nil`: the beginning.
  package let checkpoint: Checkpoint?
  package let report: ImportReport
  /// The reason why it failed, or why it is waiting; `nil`: none.
  package let problem: String?
  package let created: Date
  package let changed: Date
  /// Whether its points and events have its number. Imports of earlier versions did not store it.
  package let isTraced: Bool

  /// The name in the API.
  package var label: String { "imp_\(id)" }

  /// Returns the number in a name; `nil`: invalid.
  package static func number(of label: String) -> Int64? { RowNumber(label, after: "imp_")?.value }
}

/// The devices of a file's records, and how its dates are read.
package struct ImportOptions: Sendable, Hashable, Codable {
  /// The device for records that ``mapping`` does not cover; `nil`: they are skipped.
  package var device: String?
  /// The devices by their names in the file.
  package var mapping: [String: String]
  /// The order of day and month in dates; `nil`: detected from the file.
  package var dateOrder: DateOrder?

  /// - Parameters:
  ///   - device: the device for records that `mapping` does not cover; `nil`: they are skipped.
  ///   - mapping: the devices by their names in the file.
  ///   - dateOrder: the order of day and month in dates; `nil`: detected from the file.
  package init(device: String?, mapping: [String: String] = [:], dateOrder: DateOrder? = nil) {
    self.device = device
    self.mapping = mapping
    self.dateOrder = dateOrder
  }

  /// The options for reading the file.
  package var options: RecordOptions { RecordOptions(dateOrder: dateOrder) }

  /// The names of all target devices.
  package var devices: Set<String> { Set(mapping.values).union(device.map { [$0] } ?? []) }
}

/// A file on disk, with a stamp by which it is recognized.
package struct ImportSource: Sendable, Hashable {
  /// The absolute path.
  package let path: String
  /// The displayed name.
  package let name: String
  /// Bytes.
  package let size: Int
  package let stamp: String

  /// Creates the source of an uploaded file.
  ///
  /// - Parameter path: its name in the folder of uploads.
  package init(path: String, name: String, size: Int) {
    (self.path, self.name, self.size, stamp) = (path, name, size, "")
  }

  /// - Parameters:
  ///   - path: the path of the file.
  ///   - name: the displayed name; `nil`: the given path.
  /// - Throws: `TrackFileError` if the file does not exist.
  package init(path: String, name: String? = nil) throws {
    let absolute = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let facts = try? FileManager.default.attributesOfItem(atPath: absolute) else {
      throw TrackFileError(path: path, reason: "there is no such file")
    }
    self.path = absolute
    self.name = name ?? path
    size = (facts[.size] as? NSNumber)?.intValue ?? 0
    let changed = (facts[.modificationDate] as? Date)?.millisecondsSince1970 ?? 0
    stamp = "\(size) bytes of \(changed)"
  }

  /// Whether the file has not changed since this value was created.
  package func isUnchanged() throws -> Bool { try ImportSource(path: path).stamp == stamp }
}

/// The progress of an import.
package struct ImportProgress: Sendable {
  /// Bytes of the file that have been read.
  package var position: Int
  /// The report so far.
  package var report: ImportReport

  /// - Parameters:
  ///   - position: bytes of the file that have been read.
  ///   - report: the report so far.
  package init(position: Int, report: ImportReport) {
    self.position = position
    self.report = report
  }
}
