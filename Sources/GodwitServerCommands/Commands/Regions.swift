internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRegions
internal import GodwitServer
internal import GodwitStore
internal import GodwitText
internal import GodwitTransfer
internal import GodwitWire

/// `godwit regions …`
struct RegionsCommand: Command {
  static let name = "regions"
  static let abstract = "Create, list, import and export regions, and assign them to devices."
  static let discussion = "Works beside a running server: its devices receive changes with their next upload."
  static let examples = [
    (line: "godwit regions add home --circle 46.05,14.5,100 --name Home", purpose: "A geofence of 100 m"),
    (line: "godwit regions import shops.geojson --tag shops", purpose: "Many of them, from a file"),
    (line: "godwit regions assign phone --tag shops --without night", purpose: "The regions of a device"),
  ]
  static let subcommands: [any Command.Type] = [
    RegionsList.self, RegionsAdd.self, RegionsRemove.self, RegionsImport.self, RegionsExport.self, RegionsAssign.self,
    RegionsDevices.self,
  ]
  func run() async throws {}
}

/// `godwit regions list`
struct RegionsList: StoreCommand {
  static let name = "list"
  static let abstract = "List regions."
  static let examples = [
    (line: "godwit regions list", purpose: "All of them, as a table"),
    (line: "godwit regions list --tag shops --device phone --json", purpose: "The regions of a device, for a program"),
  ]

  @ManyOptions("tag", "TAG", "Only regions with this tag; may be repeated, for any of several tags")
  var tags: [String]
  @OptionalOption("device", "NAME", "Only regions of this device")
  var device: String?
  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let database = try openStore()
    defer { database.close() }
    let store = DatabaseRegionStore(database)
    let device = try device.map { try Self.device(named: $0, in: database) }
    let stored = try RegionsText.all(store, device: device?.id, tags: tags)
    if json { return Output.result(RegionsText.json(stored)) }
    if stored.isEmpty { return Output.log("There are no such regions. `godwit regions add` creates one.") }
    var rows = [["ID", "NAME", "WHAT", "TAGS", "REVISION", "CHANGED"]]
    for one in stored {
      let region = try one.region()
      rows.append([
        region.id, region.name, RegionsText.shape(region.shape), region.tags.joined(separator: ","), String(one.revision),
        one.changed.formattedUTC,
      ])
    }
    Output.result(TextTable.text(rows))
  }

  /// - Throws: ``Failure`` if no device has the name.
  static func device(named name: String, in store: any TrackStore) throws -> Device {
    guard let device = try store.device(named: name) else {
      throw Failure("No device is called \"\(name)\". `godwit device list` shows all devices.")
    }
    return device
  }
}

/// `godwit regions add`
struct RegionsAdd: StoreCommand {
  static let name = "add"
  static let abstract = "Create or replace a region."
  static let examples = [
    (line: "godwit regions add home --circle 46.05,14.5,100 --name Home --tag family", purpose: "A circle of 100 m"),
    (
      line: "godwit regions add park --polygon \"46.04,14.49 46.04,14.51 46.06,14.5\" --dwell 300",
      purpose: "An area, with an event after five minutes inside"
    ),
    (
      line: "godwit regions add door --beacon F7826DA6-4FA2-4E98-8024-BC5B71E0893E,1,2 --at 46.05,14.5",
      purpose: "A beacon with its position"
    ),
  ]

  @Operands("ID", 1...1, "Permanent ID: 1 to 128 characters")
  var ids: [String]
  @OptionalOption("circle", "LAT,LON,RADIUS", "A circle: degrees, degrees, metres")
  var circle: Numbers?
  @OptionalOption("polygon", "\"LAT,LON LAT,LON …\"", "An area by its corners")
  var polygon: Corners?
  @OptionalOption("beacon", "UUID[,MAJOR[,MINOR]]", "An iBeacon; without numbers, all beacons with that UUID")
  var beacon: BeaconArgument?
  @OptionalOption("at", "LAT,LON", "Position of the beacon")
  var place: Numbers?
  @OptionalOption("name", "NAME", "Display name")
  var title: String?
  @ManyOptions("tag", "TAG", "Tag for filters; may be repeated")
  var tags: [String]
  @OptionalOption("dwell", "SECONDS", "Seconds inside after which a dwell event is sent")
  var dwell: Numbers?
  let storeOptions = StoreOptions()
  @Flag("json", "Print the region as JSON")
  var json: Bool

  func run() async throws {
    let region = try checked(Region(id: ids[0], name: title ?? "", shape: try shape(), tags: tags, dwell: try seconds()))
    let database = try openStore(creates: true)
    defer { database.close() }
    let store = DatabaseRegionStore(database)
    let change = try store.save([region], if: .none, at: Date())
    if json, let stored = try store.region(id: region.id) { return Output.result(RegionsText.json([stored])) }
    let what = change.created > 0 ? "made" : change.changed > 0 ? "replaced" : "exists already, unchanged"
    Output.log("\(region.id): \(what).")
  }

  private func shape() throws -> RegionShape {
    guard [circle != nil, polygon != nil, beacon != nil].count(where: { $0 }) == 1 else {
      throw UsageError("godwit regions add: give one of --circle, --polygon and --beacon.")
    }
    guard beacon != nil || place == nil else { throw UsageError("godwit regions add: --at belongs to --beacon.") }
    if let circle { return .circle(Circle(center: try circle.coordinate("--circle", of: 3), radius: circle.values[2])) }
    if let beacon {
      return .beacon(Beacon(identity: beacon.identity, place: try place?.coordinate("--at", of: 2)))
    }
    do throws(PolygonFault) {
      let area = MultiPolygon([try Polygon(outer: polygon?.places ?? [])])
      if let area { return .polygons(area) }
    } catch {
      throw UsageError("godwit regions add: --polygon: \(error).")
    }
    throw UsageError("godwit regions add: --polygon has no corners.")
  }

  private func seconds() throws -> Double? {
    guard let dwell else { return nil }
    guard dwell.values.count == 1 else { throw UsageError("godwit regions add: --dwell is a number of seconds.") }
    return dwell.values[0]
  }

  /// Validates a region with the rules and the error messages of the wire format.
  private func checked(_ region: Region) throws -> Region {
    var text: [UInt8] = []
    RegionJSON.write(region, into: &text)
    do throws(FormatError) { return try RegionJSON.read(text, id: ids[0]) } catch {
      throw UsageError("godwit regions add: \(error.place.path.map { "\($0): " } ?? "")\(error.reason).")
    }
  }
}

/// `godwit regions remove`
struct RegionsRemove: StoreCommand {
  static let name = "remove"
  static let abstract = "Delete regions, also from the devices that have them."
  static let examples = [
    (line: "godwit regions remove home", purpose: "One"),
    (line: "godwit regions remove --tag spring", purpose: "All regions with a tag"),
  ]

  @Operands("ID…", 0...100_000, "The regions")
  var ids: [String]
  @OptionalOption("tag", "TAG", "All with this tag")
  var tag: String?
  @Flag("all", "All regions")
  var isAll: Bool
  @Flag("yes", "Skip the confirmation of --all")
  var isSure: Bool
  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    guard [!ids.isEmpty, tag != nil, isAll].count(where: { $0 }) == 1 else {
      throw UsageError("godwit regions remove: give ids, --tag TAG, or --all.")
    }
    let database = try openStore()
    defer { database.close() }
    let store = DatabaseRegionStore(database)
    if isAll, !isSure {
      let count = try store.regionStatus().total.count
      try Prompt.confirm("Delete all regions? That is \(RegionsText.count(count)).", option: "--yes")
    }
    let selection: RegionDeletion = isAll ? .all : tag.map { .tag($0) } ?? .ids(ids)
    let deleted: [String]
    do {
      deleted = try store.deleteRegions(selection, if: ids.isEmpty ? .none : .exists, at: Date())
    } catch let conflict as RegionConflict {
      throw Failure("\(conflict) `godwit regions list` shows all regions. Nothing was deleted.")
    }
    if json {
      Output.result(try RegionsText.json(["deleted": deleted]))
    } else {
      Output.log("Deleted: \(RegionsText.count(deleted.count)).")
    }
  }
}

/// `godwit regions import`
struct RegionsImport: StoreCommand {
  static let name = "import"
  static let abstract = "Import regions from files; a file with an error is not imported."
  static let discussion = """
    Reads \(RegionFormat.shownNames); the format is detected.
    An existing region is replaced; an identical one is skipped.
    """
  static let examples = [
    (line: "godwit regions import shops.json --tag shops", purpose: "Adds a tag to each of them"),
    (line: "godwit regions import places.kml --radius 150", purpose: "Placemarks of a map, as circles of 150 m"),
  ]

  @Operands("FILE…", 1...100_000, "The files")
  var files: [String]
  @ManyOptions("tag", "TAG", "Tag to add to all of them")
  var tags: [String]
  @OptionalOption("radius", "METRES", "Radius of points in GeoJSON and KML; without it they are skipped")
  var radius: Numbers?
  let storeOptions = StoreOptions()
  @Flag("json", "Print the result as JSON, one line per file")
  var json: Bool

  func run() async throws {
    guard radius == nil || radius?.values.count == 1, radius?.values.first ?? 1 > 0 else {
      throw UsageError("godwit regions import: --radius is a number of metres, more than 0.")
    }
    let database = try openStore(creates: true)
    defer { database.close() }
    let store = DatabaseRegionStore(database)
    var failed = 0
    for file in files {
      do {
        let (found, change) = try bring(file, into: store)
        if json {
          Output.result(
            try RegionsText.json(
              ImportResult(
                file: file, created: change.created, changed: change.changed, unchanged: change.unchanged,
                skipped: found.skippedCount)))
        } else {
          Output.log(
            "\(file): \(RegionsText.count(change.created)) created, \(change.changed) changed, \(change.unchanged) unchanged.")
          for skip in found.skipped.prefix(10) { Output.log("  skipped: \(skip)") }
          if found.skippedCount > 10 { Output.log("  … and \(found.skippedCount - 10) more") }
        }
      } catch {
        failed += 1
        Output.log("\(file): \(error)")
      }
    }
    if failed > 0 {
      throw Failure("\(failed) of \(files.count.counted("file")) could not be imported; none of their regions was stored.")
    }
  }

  private struct ImportResult: Encodable {
    var file: String
    var created, changed, unchanged, skipped: Int
  }

  private func bring(_ file: String, into store: any RegionStore) throws -> (RegionImport, RegionChange) {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw Failure("the file does not exist, or is not readable.")
    }
    let found = try RegionFormat.read(Array(bytes), tags: tags, defaultRadius: radius?.values.first)
    return (found, try store.save(found.regions, if: .none, at: Date()))
  }
}

/// `godwit regions export`
struct RegionsExport: StoreCommand {
  static let name = "export"
  static let abstract = "Write the regions to standard output."
  static let examples = [
    (line: "godwit regions export > regions.json", purpose: "All of them, to be imported again"),
    (line: "godwit regions export --format kml > regions.kml", purpose: "For a map"),
    (line: "godwit regions export --tag shops --device phone", purpose: "The regions of a group"),
  ]

  @Option("format", RegionFormat.names, default: .json, shown: "json", "Format of the output")
  var format: RegionFormat
  @ManyOptions("tag", "TAG", "Only regions with this tag; may be repeated, for any of several tags")
  var tags: [String]
  @OptionalOption("device", "NAME", "Only regions of this device")
  var device: String?
  let storeOptions = StoreOptions()

  func run() async throws {
    let database = try openStore()
    defer { database.close() }
    let device = try device.map { try RegionsList.device(named: $0, in: database) }
    let stored = try RegionsText.all(DatabaseRegionStore(database), device: device?.id, tags: tags)
    Output.result(format.text(try stored.map { try $0.region() }))
    if Output.isTerminal { Output.log("\(RegionsText.count(stored.count)).") }
  }
}

/// `godwit regions assign`
struct RegionsAssign: StoreCommand {
  static let name = "assign"
  static let abstract = "Set the region filter of a device or of a group of devices; without options, show it."
  static let discussion = """
    Without a filter a device of the administrator gets all regions, and a device of a member those of its own app only. A filter
    replaces the one before. After a change, a device synchronises all its regions again.
    """
  static let examples = [
    (line: "godwit regions assign phone --tag shops --without night", purpose: "By tags"),
    (line: "godwit regions assign drivers --as-group --tag depots", purpose: "Set the filter of a group"),
    (line: "godwit regions assign van --group drivers --region home", purpose: "The regions of its group, and one more"),
    (line: "godwit regions assign phone --everything", purpose: "Without a filter again"),
  ]

  @Operands("NAME", 1...1, "The device, or the group")
  var names: [String]
  @ManyOptions("tag", "TAG", "Regions with one of these tags")
  var tags: [String]
  @ManyOptions("without", "TAG", "Without regions with one of these tags")
  var without: [String]
  @ManyOptions("region", "ID", "A region by its ID, independent of tags")
  var regions: [String]
  @ManyOptions("group", "NAME", "The filter of a group")
  var groups: [String]
  @OptionalOption("evaluate", "on|off", "Whether the server evaluates the regions for the device's positions")
  var evaluate: OnOff?
  @Flag("everything", "Remove the filter: a device gets the regions that it gets without one, a group none")
  var isEverything: Bool
  @Flag("as-group", "NAME is a group")
  var isGroup: Bool
  let storeOptions = StoreOptions()
  @Flag("json", "Print the region filter as JSON")
  var json: Bool

  func run() async throws {
    let name = names[0]
    let rule = RegionRule(tags: tags, without: without, regions: regions)
    let isSaid = !rule.isEmpty || !groups.isEmpty || evaluate != nil
    if isEverything, isSaid { throw UsageError("godwit regions assign: --everything excludes the other options.") }
    if isGroup, !groups.isEmpty || evaluate != nil {
      throw UsageError("godwit regions assign: a group has --tag, --without and --region only.")
    }
    guard Device.isValid(name: name), groups.allSatisfy({ Device.isValid(name: $0) }) else {
      throw UsageError("godwit regions assign: a name has 1 to 64 letters, digits, blanks and -_.@")
    }
    let database = try openStore()
    defer { database.close() }
    let store = DatabaseRegionStore(database)
    if isGroup {
      if isSaid || isEverything { try store.setRegionGroup(isSaid ? rule : nil, named: name, at: Date()) }
      return try report(try store.regionGroups()[name].map { DeviceRegionRule(rule: $0) }, "none")
    }
    let device = try RegionsList.device(named: name, in: database)
    if isSaid || isEverything {
      var whole = DeviceRegionRule(rule: rule, groups: groups)
      // --evaluate alone keeps the filter, and a filter alone keeps the choice of --evaluate.
      let known = try store.regionRule(device: device.id)
      if let known, rule.isEmpty, groups.isEmpty { whole = known }
      whole.evaluates = evaluate.map { $0 == .on } ?? known?.evaluates
      try store.setRegionRule(isSaid ? whole : nil, device: device.id, at: Date())
    }
    let nothing = RegionsText.withoutFilter(isMembers: try store.isMembers(device: device.id))
    try report(try store.regionRule(device: device.id), nothing)
    if !json {
      let total = try store.regionDigest(device: device.id, filter: RegionFilter())
      Output.log("\(name) gets \(RegionsText.count(total.count)) now.")
    }
  }

  private func report(_ rule: DeviceRegionRule?, _ nothing: String) throws {
    if json { return Output.result(try RegionsText.json(RegionsText.Rule(rule ?? DeviceRegionRule(), isGroup: isGroup))) }
    Output.result("\(names[0]): \(rule.map { RegionsText.describe($0) } ?? nothing)\n")
  }
}

/// `godwit regions devices`
struct RegionsDevices: StoreCommand {
  static let name = "devices"
  static let abstract = "Show the region filter and the last synchronisation of each device."
  static let examples = [(line: "godwit regions devices", purpose: "As a table")]

  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let database = try openStore()
    defer { database.close() }
    let store = DatabaseRegionStore(database)
    let summaries = try store.regionDevices()
    if json { return Output.result(try ResultEncoder.bytes(RegionDeviceList(summaries))) }
    if summaries.isEmpty { return Output.log("There are no devices yet. `godwit device add NAME` creates one.") }
    var rows = [["NAME", "RULE", "GETS", "HAS", "LAST SYNC", "BEHIND SINCE"]]
    for summary in summaries {
      let rule = summary.rule.map { RegionsText.describe($0) } ?? RegionsText.withoutFilter(isMembers: summary.isMembers)
      rows.append([
        summary.device.name, rule, String(summary.total.count),
        summary.sync.map { String($0.total.count) } ?? "-", summary.sync?.time.formattedUTC ?? "never",
        summary.behindSince?.formattedUTC ?? "-",
      ])
    }
    Output.result(TextTable.text(rows))
  }
}
