internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRegions
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitTransfer
internal import GodwitWire

/// `/api/v1/regions`: reads and changes regions.
struct RegionsAPI {
  let work: RequestWork
  let regions: any RegionStore
  let regionChanges: RegionChangeNotifier

  /// Bytes of regions in one request, before and after decompression.
  static let maximumBody = RegionFileLimits().bytes
  /// Nodes in a page, unless the request says otherwise.
  static let pageSize = 500
  static let largestPage = 5000

  // MARK: Reading

  /// `GET /api/v1/regions`: the existing regions, in pages, or an export of all.
  func list(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    if let format = request.query.text("format") { return try export(format, request) }
    var query = try Self.query(request)
    query.first = try request.query.limit(standard: Self.pageSize, largest: Self.largestPage)
    query.after = request.query.text("cursor")
    return work.later(request) { [query] in
      let page = try regions.regionPage(query)
      var texts: [String] = []
      for case .region(let region) in page.nodes { texts.append(String(decoding: Self.json(region), as: UTF8.self)) }
      return JSONText.page("regions", texts, nextCursor: page.hasNextPage ? page.endCursor : nil)
    }
  }

  /// `GET /api/regions`: a page of the changes since the last sync of a device's copy.
  func changes(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let query = try Self.query(request)
    return work.later(request) {
      let page = try regions.regionPage(query)
      // A box is only a part of the device's copy.
      if let device = query.device, !page.hasNextPage, query.box == nil {
        regionChanges.note(
          RegionSync(
            device: device, time: Date(), scope: page.scope, revision: page.revision, total: page.total, wish: query.wish))
      }
      let tag = "\"\(page.total.digest)-\(page.endCursor)\""
      if EntityTag.matches(request.header("If-None-Match"), tag) { return Self.notModified(tag) }
      var text: [UInt8] = []
      var writer = RegionPageWriter(epoch: page.epoch, reset: page.isReset, into: &text)
      for node in page.nodes {
        switch node {
        case .region(let region): writer.append(canonical: region.json, revision: region.revision, into: &text)
        case .gone(let id, let revision): writer.append(.deleted(id: id, revision: revision), into: &text)
        }
      }
      writer.finish(
        endCursor: page.endCursor, hasNextPage: page.hasNextPage, digest: page.total.digest.description,
        count: page.total.count, into: &text)
      return .json(text).with("ETag", tag)
    }
  }

  /// `GET /api/v1/regions/ID`
  func one(_ request: HTTPRequest) -> HTTPReply {
    let id = request.parameter
    return work.later(request) {
      guard let region = try regions.region(id: id) else { throw Self.unknown(id) }
      let tag = "\"\(region.revision)\""
      if EntityTag.matches(request.header("If-None-Match"), tag) { return Self.notModified(tag) }
      return Self.answer(region)
    }
  }

  private static func query(_ request: HTTPRequest) throws(Problem) -> RegionPageQuery {
    let first = try request.query.limit("first", standard: pageSize, largest: largestPage)
    let after = request.query.text("after")
    return RegionPageQuery(
      device: request.device?.id, wish: wish(request), after: after, box: try request.query.box(),
      first: first)
  }

  /// The filter of a request: `tags` or `tag`, and `without`, separated by commas.
  private static func wish(_ request: HTTPRequest) -> RegionFilter {
    func list(_ name: String) -> [String] {
      Set(request.query.words(name)).sorted()
    }
    return RegionFilter(tags: list("tags") + list("tag"), without: list("without"))
  }

  private func export(_ format: String, _ request: HTTPRequest) throws(Problem) -> HTTPReply {
    guard let language = RegionFormat(rawValue: format) else {
      throw Problem(
        400, "Bad argument",
        "format=\(format): expected \(RegionFormat.allCases.map(\.rawValue).joined(separator: ", "))."
      )
    }
    var query = try Self.query(request)
    query.after = nil
    query.first = .max
    return work.later(request) { [query] in
      let regions = try regions.regionPage(query).nodes.compactMap { node in
        if case .region(let stored) = node { try stored.region() } else { nil }
      }
      let response = HTTPResponse(status: 200, contentType: language.contentType, body: language.text(regions))
      return response.with("Content-Disposition", "attachment; filename=\"regions.\(language.fileEnding)\"")
    }
  }

  // MARK: Writing

  /// `POST /api/v1/regions`; with `dry=true` returns the changes and stores nothing.
  func importAll(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let body = request.takeBody()
    let tags = (request.query["tag"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    var radius: Double?
    if let text = request.query.text("radius") {
      radius = Double(text)
      guard let radius, radius > 0, radius <= RegionRules.greatestRadius else {
        let expected = "expected metres, more than 0, for points without a radius"
        throw Problem(400, "Bad argument", "radius=\(text): \(expected).")
      }
    }
    return work.later(request) { [radius] in
      let bytes = try Self.body(body, of: request)
      let found: RegionImport
      do throws(FormatError) {
        found = try RegionFormat.read(bytes, tags: tags.filter { !$0.isEmpty }, defaultRadius: radius)
      } catch {
        throw Self.problem(error)
      }
      let isDry = try request.query.flag("dry")
      let change =
        try isDry
        ? Self.look(at: found.regions, in: regions) : regions.save(found.regions, if: .none, at: Date())
      if !isDry { regionChanges.refresh() }
      var text = Array(
        #"{"created":\#(change.created),"changed":\#(change.changed),"unchanged":\#(change.unchanged),"revision":\#(change.revision),"skipped":\#(found.skippedCount),"reasons":["#
          .utf8)
      Self.list(found.skipped.lazy.map(\.description), into: &text)
      text += Array(#"],"regions":["#.utf8)
      Self.list(found.regions.lazy.map(\.id), into: &text)
      return .json(text + Array("]}\n".utf8), status: change.created > 0 && !isDry ? 201 : 200)
    }
  }

  /// The changes that saving the regions would make.
  private static func look(at regions: [Region], in store: any RegionStore) throws -> RegionChange {
    var change = RegionChange()
    change.revision = try store.regionStatus().revision
    for region in regions {
      guard let stored = try store.region(id: region.id) else {
        change.created += 1
        continue
      }
      if stored.json == RegionJSON.canonicalBytes(of: region) { change.unchanged += 1 } else { change.changed += 1 }
    }
    return change
  }

  /// `PUT /api/v1/regions/ID`
  func put(_ request: HTTPRequest) -> HTTPReply {
    let (id, body) = (request.parameter, request.takeBody())
    return work.later(request) {
      let condition = try Self.condition(request)
      let bytes = try Self.body(body, of: request)
      let region: Region
      do throws(FormatError) { region = try RegionJSON.read(bytes, id: id) } catch { throw Self.problem(error) }
      let change: RegionChange
      do { change = try regions.save([region], if: condition, at: Date()) } catch let conflict as RegionConflict {
        throw Self.problem(conflict)
      }
      regionChanges.refresh()
      guard let stored = try regions.region(id: id) else { throw Self.unknown(id) }
      return Self.answer(stored, status: change.created > 0 ? 201 : 200)
    }
  }

  /// `DELETE /api/v1/regions/ID`
  func delete(_ request: HTTPRequest) -> HTTPReply {
    let id = request.parameter
    return work.later(request) {
      let condition = try Self.condition(request)
      let deleted: [String]
      do {
        deleted = try regions.deleteRegions(.ids([id]), if: condition, at: Date())
      } catch let conflict as RegionConflict {
        throw Self.problem(conflict)
      }
      guard !deleted.isEmpty else { throw Self.unknown(id) }
      regionChanges.refresh()
      return Self.deleted(deleted)
    }
  }

  /// `DELETE /api/v1/regions`: `tag`, or `all=true`.
  func deleteMany(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let selection: RegionDeletion
    if let tag = request.query.text("tag") {
      selection = .tag(tag)
    } else if try request.query.flag("all") {
      selection = .all
    } else {
      throw Problem(400, "Bad argument", "Select regions: tag=TAG, or all=true for all of them.")
    }
    return work.later(request) {
      let deleted = try regions.deleteRegions(selection, if: .none, at: Date())
      regionChanges.refresh()
      return Self.deleted(deleted)
    }
  }

  // MARK: Conditions

  /// The precondition of a request: `If-Match: 17` or `*`, `If-None-Match: *`.
  private static func condition(_ request: HTTPRequest) throws(Problem) -> RegionCondition {
    if let text = request.header("If-Match") {
      let word = text.trimmingCharacters(in: .whitespaces)
      if word == "*" { return .exists }
      guard let revision = RevisionNumber(word.replacing("-gz\"", with: "").replacing("\"", with: "")) else {
        throw Problem(400, "Bad argument", "If-Match: \(text): expected a revision such as \"17\", or *.")
      }
      return .revision(revision.value)
    }
    guard let text = request.header("If-None-Match") else { return .none }
    guard text.trimmingCharacters(in: .whitespaces) == "*" else {
      throw Problem(400, "Bad argument", "If-None-Match: \(text): expected *, for a region that is not there yet.")
    }
    return .absent
  }

  // MARK: Answers

  private static func answer(_ region: StoredRegion, status: Int = 200) -> HTTPResponse {
    .json(json(region) + [0x0A], status: status).with("ETag", "\"\(region.revision)\"")
  }

  private static func json(_ region: StoredRegion) -> [UInt8] {
    region.json.dropLast() + Array(#","revision":\#(region.revision)}"#.utf8)
  }

  private static func notModified(_ tag: String) -> HTTPResponse {
    HTTPResponse(status: 304, contentType: "application/json", body: []).with("ETag", tag).with(
      "Cache-Control", "private, no-cache")
  }

  private static func deleted(_ ids: [String]) -> HTTPResponse {
    var text = Array(#"{"deleted":\#(ids.count),"regions":["#.utf8)
    list(ids, into: &text)
    return .json(text + Array("]}\n".utf8))
  }

  private static func list(_ words: some Sequence<String>, into text: inout [UInt8]) {
    var isFirst = true
    for word in words {
      if !isFirst { text.append(UInt8(ascii: ",")) }
      isFirst = false
      text += Array(word.jsonQuoted.utf8)
    }
  }

  private static func unknown(_ id: String) -> Problem {
    Problem(404, "Unknown region", "There is no region \"\(id)\".")
  }

  private static func problem(_ conflict: RegionConflict) -> Problem {
    Problem(412, "Changed meanwhile", "\(conflict) Read it again, and send the revision that it has in If-Match.")
  }

  /// 400 for a document that is not a region document, 422 for an invalid region.
  private static func problem(_ error: FormatError) -> Problem {
    guard let path = error.place.path else {
      return Problem(400, "Not readable as regions", error.description, at: error.place.description)
    }
    return Problem(422, "Not a region", error.description, at: path)
  }

  /// The body, decompressed.
  private static func body(_ sent: [UInt8], of request: HTTPRequest) throws(Problem) -> [UInt8] {
    let bytes = try RequestBody.decoded(sent, encoding: request.header("Content-Encoding"), limit: maximumBody)
    guard bytes.count <= maximumBody else {
      throw Problem(
        413, "Body too large", "The body has \(bytes.count) bytes, and \(maximumBody) are taken here. Send it in parts.",
        at: "byte \(maximumBody)")
    }
    return bytes
  }
}
