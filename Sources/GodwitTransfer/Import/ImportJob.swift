package import Foundation
package import GodwitFiles
internal import GodwitModel
package import GodwitTracks

/// A file that is imported, or was.
package struct ImportJob: Sendable {
  /// How far it has come.
  package enum State: String, Sendable, Codable, CaseIterable {
    case waiting, running, done, failed, cancelled
    /// The file was read to its end, and nothing in it could be stored.
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
  /// Where it goes on.
  package let checkpoint: Checkpoint?
  package let report: ImportReport
  /// Why it failed, or waits.
  package let problem: String?
  package let created: Date
  package let changed: Date
  /// Whether its points and events name it: those of imports before that was stored do not.
  package let isTraced: Bool

  /// Its name in addresses.
  package var label: String { "imp_\(id)" }

  /// The number in a name.
  package static func number(of label: String) -> Int64? { RowNumber(label, after: "imp_")?.value }
}

/// The devices of a file's records, and how its dates are read.
package struct ImportOptions: Sendable, Hashable, Codable {
  /// The device that gets all that ``mapping`` does not say anything of; `nil`: that is skipped.
  package var device: String?
  /// Devices by what the file calls them.
  package var mapping: [String: String]
  /// The order of day and month in dates; `nil`: the file decides.
  package var dateOrder: DateOrder?

  /// - Parameters:
  ///   - device: gets all that `mapping` does not say anything of; `nil`: that is skipped.
  ///   - mapping: devices by what the file calls them.
  ///   - dateOrder: the order of day and month in dates; `nil`: the file decides.
  package init(device: String?, mapping: [String: String] = [:], dateOrder: DateOrder? = nil) {
    self.device = device
    self.mapping = mapping
    self.dateOrder = dateOrder
  }

  /// What the file does not say about itself.
  package var options: RecordOptions { RecordOptions(dateOrder: dateOrder) }

  /// All devices that are named.
  package var devices: Set<String> { Set(mapping.values).union(device.map { [$0] } ?? []) }
}

/// A file on disk, and by what it is known again.
package struct ImportSource: Sendable, Hashable {
  /// Where it is, from the root.
  package let path: String
  /// As it is shown.
  package let name: String
  /// Bytes.
  package let size: Int
  package let stamp: String

  /// An uploaded file. - Parameter path: its name in the folder of uploads.
  package init(path: String, name: String, size: Int) {
    (self.path, self.name, self.size, stamp) = (path, name, size, "")
  }

  /// - Parameters:
  ///   - path: of the file.
  ///   - name: as it is shown; `nil`: the path as it was given.
  /// - Throws: `TrackFileError`, where there is none.
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

  /// Whether the file is still the one that this was made of.
  package func isUnchanged() throws -> Bool { try ImportSource(path: path).stamp == stamp }
}

/// How far an import is.
package struct ImportProgress: Sendable {
  /// Bytes of the file that have been read.
  package var position: Int
  /// What became of its records so far.
  package var report: ImportReport

  /// - Parameters:
  ///   - position: bytes of the file that have been read.
  ///   - report: what became of its records so far.
  package init(position: Int, report: ImportReport) {
    self.position = position
    self.report = report
  }
}
