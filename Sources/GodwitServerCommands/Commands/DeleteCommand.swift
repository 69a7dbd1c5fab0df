internal import Foundation
internal import GodwitCommandLine
internal import GodwitDeletion
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

/// `godwit delete …`
struct DeleteCommand: Command {
  static let name = "delete"
  static let abstract = "Delete a device, points, an import or a user, with all that was computed from it."
  static let discussion = """
    Works beside a running server, whose pages are updated. Deleted data is removed from exports, from backups made
    afterwards, from visits, trips and statistics, and from share links. Backups and copies made before still have it.
    For a week `godwit trash undo` restores it; then, or at once with --permanent, it is overwritten in the database.
    """
  static let examples = [
    (line: "godwit delete device old-phone --dry-run", purpose: "Count without deleting"),
    (line: "godwit delete points --device phone --from 2026-11-20 --to 2026-11-21", purpose: "A day"),
  ]
  static let subcommands: [any Command.Type] = [
    DeleteDevice.self, DeletePoints.self, DeleteImport.self, DeleteUser.self,
  ]
  func run() async throws {}
}

/// A command that deletes.
@MainActor
protocol DeletingCommand: ChangingCommand {
  var isPermanent: Bool { get }
}

extension DeletingCommand {
  /// Counts the records, asks for confirmation, deletes them and reports the counts.
  /// - Parameters:
  ///   - subject: the selection to delete.
  ///   - what: the description of the selection in texts for the user.
  func delete(_ subject: Deletions.Subject, _ what: String) throws {
    let location = storeLocation
    let store = try openStore()
    defer { store.close() }
    let deletions = Deletions(store, folder: location.isFolder ? data : nil)
    let expected = try deletions.dry(subject)
    if options.isDry { return report(expected, "\(what) would delete") }
    let isPermanent = self.isPermanent
    if !options.yes {
      let future = isPermanent ? "cannot be undone" : "can be undone for a week"
      try Prompt.confirm("Delete \(what)? That is \(expected.text), and \(future).", option: "--yes")
    }
    let (counts, entry) = try deletions.delete(subject, isPermanent: isPermanent, at: Date())
    report(counts, "Deleted with \(what)", entry)
  }

  func report(_ counts: DeletionCounts, _ words: String, _ entry: TrashEntry? = nil) {
    if options.json {
      let trash = entry.map { #","trash":"\#($0.label)""# } ?? ""
      Output.result(#"{"dry_run":\#(options.isDry),"counts":\#(counts.json)\#(trash)}"# + "\n")
    } else {
      Output.log("\(words): \(counts.text).")
      if let entry { Output.log("`godwit trash undo \(entry.label)` restores it until \(entry.expires.formattedUTC).") }
    }
  }
}

/// `godwit delete device`
struct DeleteDevice: DeletingCommand {
  static let name = "device"
  static let abstract = "Delete a device with its points, events, tokens, settings and all other data."
  static let examples = [(line: "godwit delete device old-phone --yes", purpose: "Without confirmation")]

  @Operands("NAME", 1...1, "The device's name")
  var names: [String]
  var options = ChangeOptions()
  @Flag("permanent", "Delete for good at once, without the trash")
  var isPermanent: Bool

  func run() async throws { try delete(.device(names[0]), "the device \(names[0])") }
}

/// `godwit delete points`
struct DeletePoints: DeletingCommand {
  static let name = "points"
  static let abstract = "Delete points and events of a device by time and area."
  static let discussion = """
    Visits and trips that overlap the time are deleted too; with an area, those that have a place in it. Rejected records are deleted by their time of receipt, because they have no position. A record that the device sends again stays deleted.
    """
  static let examples = [
    (line: "godwit delete points --device phone --from 2026-11-20T14:00:00Z --to 2026-11-20T18:00:00Z", purpose: "An afternoon"),
    (line: "godwit delete points --device phone --near 46.05,14.5 --radius 300 --dry-run", purpose: "Everything near a place"),
  ]

  @Option("device", "NAME", "Device of the points")
  var device: String
  @OptionalOption("from", "TIME", "Start: 2026-11-20 or 2026-11-20T08:30:00Z")
  var from: Date?
  @OptionalOption("to", "TIME", "End (exclusive)")
  var to: Date?
  @OptionalOption("bbox", "WEST,SOUTH,EAST,NORTH", "Only in this box, in degrees")
  var box: BoundingBox?
  @OptionalOption("near", "LAT,LON", "Only around this place, in degrees")
  var near: PlaceArgument?
  @OptionalOption("radius", "M", "Metres around --near")
  var radius: Int?
  var options = ChangeOptions()
  @Flag("permanent", "Delete for good at once, without the trash")
  var isPermanent: Bool

  func run() async throws {
    guard from != nil || to != nil || box != nil || near != nil else {
      throw UsageError("Select points: give --from and --to, --bbox, or --near and --radius; `godwit delete device` deletes all")
    }
    guard (near == nil) == (radius == nil) else { throw UsageError("--near and --radius belong together") }
    guard near == nil || box == nil else { throw UsageError("give either --bbox, or --near and --radius") }
    if let from, let to, from >= to { throw UsageError("--to is not after --from") }
    var area = box.map { Deletions.Area.box($0) }
    if let near, let radius {
      area = .circle(latitude: near.place.latitude, longitude: near.place.longitude, radius: Double(radius))
    }
    try delete(.points(device: device, from: from, to: to, area: area), "points of \(device)")
  }
}

/// `godwit delete import`
struct DeleteImport: DeletingCommand {
  static let name = "import"
  static let abstract = "Delete an import with its points and events; without an ID, list imports."
  static let discussion = """
    Points and events that were there before the import stay, and so do those that the device has sent itself since.
    """
  static let examples = [(line: "godwit delete import imp_3 --dry-run", purpose: "Count the points and events of an import")]

  @Operands("ID", 0...1, "The import's id")
  var ids: [String]
  var options = ChangeOptions()
  @Flag("permanent", "Delete for good at once, without the trash")
  var isPermanent: Bool

  /// The maximum number of imports that are listed.
  private static let listed = 50

  func run() async throws {
    if let id = ids.first { return try delete(.importJob(id), "the import \(id)") }
    let store = try openStore()
    defer { store.close() }
    let imports = try Deletions(store, folder: nil).imports(limit: Self.listed)
    if options.json {
      let list = imports.map { ["id": $0.id, "name": $0.name, "state": $0.state, "saved": $0.saved] as [String: Any] }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
      return
    }
    if imports.isEmpty { return Output.log("Nothing was imported.") }
    Output.result(
      TextTable.text(
        [["ID", "CREATED", "STATE", "NEW", "FILE"]]
          + imports.map { [$0.id, $0.created.formattedUTC, $0.state, $0.saved.grouped, $0.name] }))
  }
}

/// `godwit delete user`
struct DeleteUser: DeletingCommand {
  static let name = "user"
  static let abstract = "Delete a user with all devices and data; `godwit user remove` keeps the devices."
  static let examples = [(line: "godwit delete user ben --dry-run", purpose: "Count without deleting")]

  @Operands("NAME", 1...1, "The user's name")
  var names: [String]
  var options = ChangeOptions()
  @Flag("permanent", "Delete for good at once, without the trash")
  var isPermanent: Bool

  func run() async throws { try delete(.user(names[0]), "the user \(names[0])") }
}

/// The argument `LAT,LON`, such as `46.05,14.5`.
struct PlaceArgument: ArgumentValue {
  let place: Coordinate

  init(argument: String) throws(UsageError) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { throw UsageError("\"\(argument)\" is not LAT,LON in degrees, such as 46.05,14.5") }
    self.place = place
  }
}

extension BoundingBox: ArgumentValue {
  init(argument: String) throws(UsageError) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, let west = numbers[0], let south = numbers[1], let east = numbers[2], let north = numbers[3],
      Coordinate(latitude: south, longitude: west) != nil, Coordinate(latitude: north, longitude: east) != nil, south <= north
    else { throw UsageError("\"\(argument)\" is not WEST,SOUTH,EAST,NORTH in degrees, such as 14.4,46.0,14.6,46.1") }
    self.init(west: west, south: south, east: east, north: north)
  }
}

extension StoreLocation {
  /// Whether the store is embedded. Its folder is then the data folder.
  fileprivate var isFolder: Bool { if case .folder = self { true } else { false } }
}
