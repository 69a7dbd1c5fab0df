internal import Foundation
internal import Godwit
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

#if os(Linux)
  internal import CoreLocation
#endif

/// `godwit doctor`
struct Doctor: StoreCommand {
  static let name = "doctor"
  static let abstract = "Check what is installed, reachable and writable, and how to mend the rest."
  static let examples = [
    (line: "godwit doctor", purpose: "Everything with the standard places"),
    (line: "godwit doctor --server --data /var/lib/godwit", purpose: "A server, whether or not it runs; changes nothing"),
  ]

  let storeOptions = StoreOptions()
  @Option("gpsd", "HOST:PORT", default: "127.0.0.1:2947", shown: "127.0.0.1:2947", "Where gpsd is")
  var gpsd: String
  @OptionalOption(
    "journal", "FILE",
    "A tracker's journal: unsent and rejected records, and the access to its files (default: the standard one)")
  var journal: String?
  @Flag("server", "Check only what a server needs")
  var server: Bool
  @Option(
    "listen", "ADDRESS:PORT", default: Serve.defaultAddress, shown: "127.0.0.1:8080", "With --server: where it listens")
  var listen: ListenAddress
  @OptionalOption("certificate", "FILE", "With --server: the server's certificate, in PEM")
  var certificate: String?
  @OptionalOption("key", "FILE", "With --server: its key")
  var key: String?
  @Flag("json", "Print JSON")
  var json: Bool

  private struct Finding {
    var subject: String
    var isGood: Bool
    /// Whether godwit works without it.
    var isOptional = false
    var text: String
  }

  func run() async throws {
    if !server, certificate != nil || key != nil { throw UsageError("--certificate and --key are looked at with --server") }
    if server { return try await lookAtServer() }
    var findings = [folder(), database(), leaflet(), receiver()]
    #if os(Linux)
      let (geoclue, beacons) = await (GeoClueSource.look(), BlueZSource.look())
      findings += [
        Finding(
          subject: "GeoClue, for places without a receiver", isGood: geoclue.isThere, isOptional: true, text: geoclue.text),
        Finding(subject: "Beacons", isGood: beacons.isThere, isOptional: true, text: beacons.text),
      ]
      findings += await DeviceSession.look().map {
        Finding(subject: $0.kind.title, isGood: $0.condition != .missing, isOptional: true, text: $0.text)
      }
    #endif
    // Their modes first: to open a journal sets them right.
    let path = journal ?? Track.standardJournal
    findings += trackerFiles(path).map { [$0] } ?? []
    if journal != nil || FileManager.default.fileExists(atPath: path) { findings.append(look(into: path)) }
    try show(findings)
  }

  private func lookAtServer() async throws {
    let doctor = ServerDoctor(data: data, store: try storeLocation(), listen: listen, certificate: certificate, key: key)
    let findings = await doctor.look(at: Date())
    try show(
      findings.map {
        Finding(subject: $0.subject, isGood: $0.verdict == .good, isOptional: $0.verdict == .look, text: $0.text)
      })
  }

  private func show(_ findings: [Finding]) throws {
    if json {
      let list = findings.map {
        ["subject": $0.subject, "ok": $0.isGood, "optional": $0.isOptional, "text": $0.text] as [String: Any]
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
    } else {
      Output.result("godwit \(Version.current)\n")
      for finding in findings {
        let mark = finding.isGood ? "ok     " : finding.isOptional ? "look   " : "FAILED "
        Output.result("\(mark)  \(finding.subject): \(finding.text)\n")
      }
    }
    let failed = findings.filter { !$0.isGood && !$0.isOptional }
    if !failed.isEmpty { throw Failure("\(failed.count) things need your attention.") }
  }

  private func folder() -> Finding {
    let name = "Data folder"
    do { try DataFolder.make(data) } catch {
      return Finding(subject: name, isGood: false, text: "\(data) cannot be made: \(error.localizedDescription)")
    }
    guard FileManager.default.isWritableFile(atPath: data) else {
      return Finding(subject: name, isGood: false, text: "\(data) cannot be written; check who owns it")
    }
    let free = (try? FileManager.default.attributesOfFileSystem(forPath: data)[.systemFreeSize] as? NSNumber)?
      .int64Value
    let enough = (free ?? .max) > 100 << 20
    return Finding(
      subject: name, isGood: enough,
      text: "\(data)" + (free.map { ", \($0 >> 20) MB free" } ?? "") + (enough ? "" : "; make some room"))
  }

  private func database() -> Finding {
    do {
      let store = try openStore()
      defer { store.close() }
      let devices = try store.devices()
      let points = devices.reduce(0) { $0 + $1.points }
      return Finding(subject: "Database", isGood: true, text: "\(devices.count) devices, \(points) points")
    } catch {
      return Finding(subject: "Database", isGood: false, text: "\(error)")
    }
  }

  /// Whether others can read what a tracker keeps; `nil`: there is no tracker.
  private func trackerFiles(_ journal: String) -> Finding? {
    let files = ["", "-wal", "-shm", ".lock", ".panel-token"].map { journal + $0 } + [TrackerFile.standard]
    func mode(_ path: String) -> Int? {
      ((try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber)?.intValue
    }
    let known = files.compactMap { path in mode(path).map { (path: path, mode: $0) } }
    guard !known.isEmpty else { return nil }
    let name = "Tracker's files"
    let open = known.filter { $0.mode & 0o077 != 0 }.map(\.path)
    if !open.isEmpty {
      return Finding(
        subject: name, isGood: false, text: "\(open.joined(separator: ", ")) can be read by others; chmod 600 each of them")
    }
    let folder = DataFolder.of(file: journal)
    if let mode = mode(folder), mode & 0o077 != 0 {
      return Finding(
        subject: name, isGood: false, isOptional: true,
        text: "only their owner can read them, but others can list \(folder); chmod 700 it")
    }
    return Finding(subject: name, isGood: true, text: "only their owner can read them")
  }

  private func look(into path: String) -> Finding {
    let name = "Journal"
    guard FileManager.default.fileExists(atPath: path) else {
      return Finding(subject: name, isGood: false, text: "there is none at \(path)")
    }
    do {
      let journal = try Journal(path: path)
      var text = path
      var refused = 0
      for endpoint in journal.endpoints() {
        text += "; \(endpoint): \(journal.waiting(endpoint: endpoint)) waiting"
        for entry in try journal.setAside(endpoint: endpoint) {
          refused += 1
          text += "\n         refused: record \(entry.sequence) of \(entry.record.time.formattedUTC): \(entry.reason)"
        }
      }
      return Finding(subject: name, isGood: refused == 0, isOptional: true, text: text)
    } catch {
      return Finding(subject: name, isGood: false, text: "\(error)")
    }
  }

  private func leaflet() -> Finding {
    let found = Assets.leafletFolders.first { FileManager.default.fileExists(atPath: $0 + "/leaflet.js") }
    return Finding(
      subject: "Leaflet, for the map", isGood: found != nil, isOptional: true,
      text: found ?? "install it (Debian and Ubuntu: apt install libjs-leaflet), or name its folder with --leaflet")
  }

  private func receiver() -> Finding {
    let parts = gpsd.split(separator: ":")
    let isReachable = parts.count == 2 && TCPProbe.canConnect(host: String(parts[0]), port: UInt16(parts[1]) ?? 0)
    return Finding(
      subject: "gpsd, for a receiver on this machine", isGood: isReachable, isOptional: true,
      text: isReachable
        ? "answers at \(gpsd)"
        : "does not answer at \(gpsd); needed by godwit track --source gpsd://… only (apt install gpsd)")
  }
}
