internal import Foundation
internal import GodwitAccounts
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitVisits

/// `godwit place …`
struct PlaceCommand: Command {
  static let name = "place"
  static let abstract = "List, add, change, merge and remove named places, and undo that for a week."
  static let discussion = "A place names every visit that touches its circle, also past ones. Works beside a running server."
  static let examples = [
    (line: "godwit place list --user anna", purpose: "The places of a user"),
    (line: "godwit place add Home --at 46.05,14.5 --radius 80 --user anna", purpose: "Name a place"),
    (line: "godwit place change place_3 --name Office", purpose: "Rename a place"),
  ]
  static let subcommands: [any Command.Type] = [
    PlaceList.self, PlaceAdd.self, PlaceChangeCommand.self, PlaceMerge.self, PlaceRemove.self, PlaceChanges.self, PlaceUndo.self,
  ]
  func run() async throws {}
}

// MARK: Listing

/// `godwit place list`
struct PlaceList: StoreCommand {
  static let name = "list"
  static let abstract = "List named places."
  static let examples = [(line: "godwit place list --json", purpose: "For a program")]

  let storeOptions = StoreOptions()
  @OptionalOption("user", "NAME", "The user; the administrator's own places without it")
  var user: String?
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let places = try store.read { try PlaceTables.all(of: try $0.number(ofUser: user), $0) }
    if json {
      let list = places.map { place -> [String: Any] in
        [
          "id": place.word, "name": place.options.name, "latitude": place.options.center.latitude,
          "longitude": place.options.center.longitude, "radius": place.options.radius,
        ]
      }
      return Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
    }
    if places.isEmpty { return Output.log("There are no named places.") }
    Output.result(
      TextTable.text(
        [["ID", "NAME", "LATITUDE", "LONGITUDE", "RADIUS"]]
          + places.map { place in
            let center = place.options.center
            return [
              place.word, place.options.name, "\(center.latitude)", "\(center.longitude)",
              "\(Int(place.options.radius.rounded())) m",
            ]
          }))
  }
}

/// `godwit place changes`
struct PlaceChanges: StoreCommand {
  static let name = "changes"
  static let abstract = "List changes of places that can be undone, newest first."
  static let examples = [(line: "godwit place changes --user anna", purpose: "Of a user's places")]

  let storeOptions = StoreOptions()
  @OptionalOption("user", "NAME", "The user; the administrator's own places without it")
  var user: String?

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let now = Date()
    let changes = try store.read { try PlaceEditor($0, at: now).changes(of: try $0.number(ofUser: user)) }
    if changes.isEmpty { return Output.log("No place changed in the last week.") }
    Output.result(
      TextTable.text(
        [["ID", "CHANGED", "UNTIL", "WHAT", "NAME", "STATE"]]
          + changes.map { change, isFree in
            [
              change.label, change.created.formattedUTC, change.expires.formattedUTC, change.kind.rawValue,
              change.targetName.map { "\(change.name) into \($0)" } ?? change.name,
              isFree ? "can be undone" : "undo newer ones first",
            ]
          }))
  }
}

// MARK: Changing

/// A command that changes places.
@MainActor
private protocol PlaceChanging: StoreCommand {}

extension PlaceChanging {
  /// Changes places in one transaction.
  /// - Throws: `Failure` if the editor rejects the change.
  fileprivate func edit<Result: Sendable>(
    _ body: @escaping @Sendable (PlaceEditor, any SQLConnection) throws -> Result
  ) async throws -> Result {
    let store = try openStore()
    defer { store.close() }
    let now = Date()
    do { return try await store.write { try body(PlaceEditor($0, at: now), $0) } } catch let rejection as PlaceEditor.Rejection {
      throw Failure("\(rejection)")
    }
  }
}

/// `godwit place add`
struct PlaceAdd: PlaceChanging {
  static let name = "add"
  static let abstract = "Name a place."
  static let examples = [(line: "godwit place add Home --at 46.05,14.5", purpose: "A circle of 100 m")]

  @Operands("NAME", 1...1, "The place's name, 1 to 100 characters")
  var names: [String]
  let storeOptions = StoreOptions()
  @Option("at", "LAT,LON", "The centre in degrees")
  var center: PlaceArgument
  @Option("radius", "M", default: 100, shown: "100", "Metres, 20 to 5000")
  var radius: Int
  @OptionalOption("user", "NAME", "The user; the administrator without it")
  var user: String?

  func run() async throws {
    let (name, user) = (names[0], user)
    let options = NamedPlace.Options(
      name: try checked(name: name), center: center.place, radius: try checked(radius: radius))
    let made = try await edit { try $0.add(options, of: try $1.number(ofUser: user)) }
    Output.log("Added \(made.word).")
  }
}

/// `godwit place change`
struct PlaceChangeCommand: PlaceChanging {
  static let name = "change"
  static let abstract = "Rename or move a place, or change its radius."
  static let examples = [(line: "godwit place change place_3 --name Office --radius 60", purpose: "Name and radius")]

  @Operands("ID", 1...1, "The place's id")
  var ids: [String]
  let storeOptions = StoreOptions()
  @OptionalOption("name", "NAME", "The new name, 1 to 100 characters")
  var newName: String?
  @OptionalOption("at", "LAT,LON", "The new centre in degrees")
  var center: PlaceArgument?
  @OptionalOption("radius", "M", "The new radius in metres, 20 to 5000")
  var radius: Int?

  func run() async throws {
    if newName == nil, center == nil, radius == nil { throw UsageError("give --name, --at or --radius") }
    let id = ids[0]
    let name = try newName.map { try checked(name: $0) }
    let (center, radius) = (center?.place, try radius.map { try checked(radius: $0) })
    let changed = try await edit { editor, db in
      let place = try db.neededPlace(id)
      var options = place.options
      options.name = name ?? options.name
      options.center = center ?? options.center
      options.radius = radius ?? options.radius
      return try editor.change(place, to: options)
    }
    Output.log("Changed \(changed.word). `godwit place changes` lists what can be undone.")
  }
}

/// `godwit place merge`
struct PlaceMerge: PlaceChanging {
  static let name = "merge"
  static let abstract = "Merge two places into one, with a circle around both."
  static let examples = [(line: "godwit place merge place_3 --into place_1", purpose: "place_1 remains")]

  @Operands("ID", 1...1, "The place that becomes a part of the other")
  var ids: [String]
  let storeOptions = StoreOptions()
  @Option("into", "ID", "The place that remains")
  var target: String

  func run() async throws {
    let (id, target) = (ids[0], target)
    let merged = try await edit { try $0.merge(try $1.neededPlace(id), into: try $1.neededPlace(target)) }
    Output.log(
      "Merged \(id) into \(merged.word), radius \(Int(merged.options.radius)) m. `godwit place changes` lists what can be undone."
    )
  }
}

/// `godwit place remove`
struct PlaceRemove: PlaceChanging {
  static let name = "remove"
  static let abstract = "Remove a place; its visits stay."
  static let examples = [(line: "godwit place remove place_3", purpose: "By the id of the list")]

  @Operands("ID", 1...1, "The place's id")
  var ids: [String]
  let storeOptions = StoreOptions()

  func run() async throws {
    let id = ids[0]
    try await edit { try $0.remove(try $1.neededPlace(id)) }
    Output.log("Removed \(id). `godwit place changes` lists what can be undone.")
  }
}

/// `godwit place undo`
struct PlaceUndo: PlaceChanging {
  static let name = "undo"
  static let abstract = "Undo a change, a merge or the removal of a place."
  static let examples = [(line: "godwit place undo pch_3", purpose: "By the id of `godwit place changes`")]

  @Operands("ID", 1...1, "The change's id")
  var ids: [String]
  let storeOptions = StoreOptions()

  func run() async throws {
    let id = ids[0]
    let place = try await edit { editor, _ in
      guard let change = try editor.change(labelled: id) else {
        throw Failure("No change has the ID \"\(id)\". `godwit place changes` lists those of the last week.")
      }
      return try editor.undo(change)
    }
    Output.log("Undone: \(place.word) is \(place.options.name) again, radius \(Int(place.options.radius.rounded())) m.")
  }
}

// MARK: Arguments

private func checked(name: String) throws -> String {
  guard PlaceEditor.nameLengths.contains(name.count) else { throw UsageError("the name: expected 1 to 100 characters") }
  return name
}

private func checked(radius: Int) throws -> Meters {
  guard PlaceEditor.radii.contains(Double(radius)) else { throw UsageError("--radius: expected 20 to 5000 metres") }
  return Double(radius)
}

extension SQLConnection {
  /// - Parameter name: the name of a user; `nil`: the administrator.
  fileprivate func number(ofUser name: String?) throws -> Int64? {
    guard let name else { return nil }
    guard let user = try UserTable.user(named: name, self) else {
      throw Failure("No user is called \"\(name)\". `godwit user list` shows all users.")
    }
    return user.id
  }

  fileprivate func neededPlace(_ id: String) throws -> NamedPlace {
    guard let number = NamedPlace.number(of: id), let place = try PlaceTables.place(number, self) else {
      throw Failure("No place has the ID \"\(id)\". `godwit place list` shows all places of a user.")
    }
    return place
  }
}
