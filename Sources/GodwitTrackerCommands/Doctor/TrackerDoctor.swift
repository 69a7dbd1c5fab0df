internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitModel

#if os(Linux)
  internal import CoreLocation
#endif

/// The checks of `godwit doctor` on the machine of a tracker.
package struct TrackerDoctor {
  /// Address of gpsd as `HOST:PORT`.
  private let gpsd: String
  /// The tracker's journal; `nil` for the standard journal, if it exists.
  private let journal: String?

  package init(gpsd: String, journal: String?) { (self.gpsd, self.journal) = (gpsd, journal) }

  /// Default address of gpsd.
  package static let standardReceiver = "127.0.0.1:2947"

  /// Checks the receivers and the data that the machine provides.
  package func parts() async -> [CheckResult] {
    var results = [receiver()]
    #if os(Linux)
      let (geoclue, beacons) = await (GeoClueSource.check(), BlueZSource.check())
      results += [
        CheckResult(
          subject: "GeoClue, for positions without a receiver", isGood: geoclue.isAvailable, isOptional: true, text: geoclue.text),
        CheckResult(subject: "Beacons", isGood: beacons.isAvailable, isOptional: true, text: beacons.text),
      ]
      results += await DeviceSession.check().map {
        CheckResult(subject: $0.kind.title, isGood: $0.condition != .missing, isOptional: true, text: $0.text)
      }
    #endif
    return results
  }

  /// Checks the tracker's files and its journal. Returns nothing if there is no tracker.
  package func files() -> [CheckResult] {
    // The file modes are checked first, because opening a journal corrects them.
    let path = journal ?? DataFolder.journal
    var results = trackerFiles(path).map { [$0] } ?? []
    if journal != nil || FileManager.default.fileExists(atPath: path) { results.append(check(into: path)) }
    return results
  }

  /// Checks that a data folder is writable and has free space. Creates the folder if it does not exist.
  package static func folder(_ data: String) -> CheckResult {
    let name = "Data folder"
    do { try DataFolder.make(data) } catch {
      return CheckResult(subject: name, isGood: false, text: "\(data) cannot be created: \(error.localizedDescription)")
    }
    guard FileManager.default.isWritableFile(atPath: data) else {
      return CheckResult(subject: name, isGood: false, text: "\(data) cannot be written; check its owner")
    }
    let free = (try? FileManager.default.attributesOfFileSystem(forPath: data)[.systemFreeSize] as? NSNumber)?
      .int64Value
    let enough = (free ?? .max) > 100 << 20
    return CheckResult(
      subject: name, isGood: enough,
      text: "\(data)" + (free.map { ", \($0 >> 20) MB free" } ?? "") + (enough ? "" : "; free some space"))
  }

  /// Checks whether other users can read the tracker's files; `nil` if there is no tracker.
  private func trackerFiles(_ journal: String) -> CheckResult? {
    let files = ["", "-wal", "-shm", ".lock", ".panel-token"].map { journal + $0 } + [TrackerFile.standard]
    func mode(_ path: String) -> Int? {
      ((try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber)?.intValue
    }
    let known = files.compactMap { path in mode(path).map { (path: path, mode: $0) } }
    guard !known.isEmpty else { return nil }
    let name = "Tracker's files"
    let open = known.filter { $0.mode & 0o077 != 0 }.map(\.path)
    if !open.isEmpty {
      return CheckResult(
        subject: name, isGood: false, text: "\(open.joined(separator: ", ")) can be read by others; chmod 600 each of them")
    }
    let folder = DataFolder.of(file: journal)
    if let mode = mode(folder), mode & 0o077 != 0 {
      return CheckResult(
        subject: name, isGood: false, isOptional: true,
        text: "only their owner can read them, but others can list \(folder); chmod 700 it")
    }
    return CheckResult(subject: name, isGood: true, text: "only their owner can read them")
  }

  private func check(into path: String) -> CheckResult {
    let name = "Journal"
    guard FileManager.default.fileExists(atPath: path) else {
      return CheckResult(subject: name, isGood: false, text: "there is none at \(path)")
    }
    do {
      let journal = try Journal(path: path)
      var text = path
      var rejected = 0
      for endpoint in journal.endpoints() {
        text += "; \(endpoint): \(journal.waiting(endpoint: endpoint)) waiting"
        for entry in try journal.quarantined(endpoint: endpoint) {
          rejected += 1
          text += "\n         rejected: record \(entry.sequence) of \(entry.record.time.formattedUTC): \(entry.reason)"
        }
      }
      return CheckResult(subject: name, isGood: rejected == 0, isOptional: true, text: text)
    } catch {
      return CheckResult(subject: name, isGood: false, text: "\(error)")
    }
  }

  private func receiver() -> CheckResult {
    let name = "gpsd, for a receiver on this machine"
    guard let endpoint = TCPProbe.Endpoint(gpsd) else {
      return CheckResult(
        subject: name, isGood: false, isOptional: true,
        text: "\"\(gpsd)\" is not an address; expected HOST:PORT, such as \(Self.standardReceiver) or [::1]:2947")
    }
    let isReachable = TCPProbe.canConnect(host: endpoint.host, port: endpoint.port)
    return CheckResult(
      subject: name, isGood: isReachable, isOptional: true,
      text: isReachable
        ? "answers at \(gpsd)"
        : "does not answer at \(gpsd); needed by godwit track --source gpsd://… only (apt install gpsd)")
  }
}
