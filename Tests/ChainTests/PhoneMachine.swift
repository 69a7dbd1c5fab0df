import Foundation
import Godwit
import GodwitModel
import GodwitPhone
import GodwitSimulator
import Synchronization
import TestDisk

/// The phone: the real tracker over Core Location, with its journal on a simulated disk.
///
/// `@unchecked Sendable`: used only on the thread of the simulation.
final class PhoneMachine: @unchecked Sendable {
  /// A recorded position, and when it was recorded.
  struct Recorded: Sendable {
    var fix: Fix
    var time: SimulatedTime
  }

  private let root: MemoryFolder
  private var disk: SimulatedDisk?
  private var disks: [SimulatedDisk] = []
  private(set) var phone: SimulatedPhone?
  private var random: RandomSource
  private var cutAt: Int?
  /// Operations of the disk between the server's receipt of the next request and a power cut.
  private var operationsAfterRequest: Int?
  private var cut: PowerCut?
  private var cutTime: SimulatedTime?
  private let network: PhoneNetwork
  /// The positions whose commit the journal has reported.
  private(set) var recorded: [Recorded] = []
  private(set) var cuts = 0
  private(set) var tracker: Tracker?
  /// Called with each event.
  var log: (String) -> Void = { _ in }

  /// The sync interval of the tracker in seconds. A power cut removes records of at most this time and two more seconds.
  static let syncInterval = 15.0

  init(_ truth: Truth, network: PhoneNetwork, root: MemoryFolder, seed: UInt64, from start: SimulatedTime) throws {
    (self.network, self.root) = (network, root)
    random = RandomSource(seed: seed, stream: "phone disk")
    try makeDisk()
    var configuration = SimulatedPhone.Configuration(truth: truth)
    configuration.seed = seed
    configuration.start = start
    configuration.hazards = HazardScript([HazardScript.Line(after: 1, .charger(true))])
    var settings = Settings()
    settings.apply(.adaptive)
    var app = TrackerApp(settings: settings)
    app.configure = { [unowned self] configuration in
      configuration.journalPath = journalPath
      configuration.syncInterval = Self.syncInterval
      let recorded = configuration.recorded
      configuration.recorded = { [unowned self] records in
        recorded?(records)
        add(records)
      }
    }
    app.launched = { [unowned self] in tracker = $0 }
    phone = SimulatedPhone(configuration, tracker: app, server: network)
    network.received = { [unowned self] in
      guard let operations = operationsAfterRequest else { return }
      operationsAfterRequest = nil
      failPower(after: operations)
    }
  }

  private var journalPath: String { (disk?.folder ?? "") + "/journal" }

  private func add(_ records: [Record]) {
    guard cut == nil, let now = phone?.now else { return }
    for record in records { if case .fix(let fix) = record.kind { recorded.append(Recorded(fix: fix, time: now)) } }
  }

  private func makeDisk() throws {
    let folder = root.path + "/phone\(disks.count)"
    if let cut {
      try cut.write(seed: random.next(), to: folder)
    } else {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let disk = try SimulatedDisk(folder: folder)
    disk.observe(
      { [unowned self] in $0 == cutAt },
      { [unowned self] cut in
        guard self.cut == nil else { return }
        self.cut = cut
        cutTime = phone?.now
        network.isCutOff = true
      })
    self.disk = disk
    disks.append(disk)
  }

  /// Makes the power fail instead of an operation of the disk.
  /// - Parameter operations: the number of operations before it.
  func failPower(after operations: Int) {
    guard let disk, cutAt == nil else { return }
    cutAt = disk.operations + 1 + operations
  }

  /// Makes the power fail soon after the server has received the next request: the sent records may not be on the disk yet, and the
  /// acknowledgement is not.
  /// - Parameter operations: the number of disk operations in between; `nil`: the power does not fail.
  func failPowerAtRequest(after operations: Int?) { operationsAfterRequest = operations }

  /// Restarts the phone if its power failed. The program continued to run after the failure, but had no effect.
  func restartIfCut() throws {
    guard let cut, let phone else { return }
    disk?.endCuts()
    phone.apply(.reboot)
    tracker = nil
    // Records just before the failure may be lost.
    let durable = (cutTime ?? phone.now) + -(Self.syncInterval + 2)
    recorded.removeAll { $0.time > durable }
    cutAt = nil
    cuts += 1
    try makeDisk()
    self.cut = nil
    network.isCutOff = false
    log("power of the phone failed at \((cutTime ?? phone.now).microseconds), operation \(cut.operation)")
    cutTime = nil
    phone.apply(.unlock)
    phone.apply(.open)
    phone.apply(.close)
  }

  /// The number of waiting records in the journal; -1 if there is no tracker.
  var waiting: Int { tracker?.journal.waiting(endpoint: "home") ?? -1 }

  func end() {
    phone?.end()
    phone = nil
    tracker = nil
    for disk in disks { disk.end() }
  }
}
