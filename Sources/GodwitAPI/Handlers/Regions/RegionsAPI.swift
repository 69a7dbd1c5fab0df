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

  /// Maximum size of the regions in a request in bytes, both before and after decompression.
  static let maximumBody = RegionFileLimits().bytes

  // MARK: Reading

  /// `GET /api/v1/regions`: returns a page of the existing regions, or an export of all regions.
  func list(_ request: ParameterRequest<ListParameters>) async throws -> RegionListing {
    let (parameters, device) = (request.parameters, request.http.device?.id)
    var query = parameters.filter.query(of: device, first: parameters.limit.count)
    if let format = parameters.format { return try await export(query, as: format) }
    query.after = parameters.cursor.flatMap { $0.isEmpty ? nil : $0 }
    return try await work.run { [query] in
      let page = try regions.regionPage(query)
      let texts = page.nodes.compactMap { node in if case .region(let region) = node { RegionText(region) } else { nil } }
      return .page(RegionPage(regions: texts, nextCursor: NextCursor(page.hasNextPage ? page.endCursor : nil)))
    }
  }

  private func export(_ query: RegionPageQuery, as format: RegionFormat) async throws -> RegionListing {
    var query = query
    query.first = .max
    return try await work.run { [query] in
      let regions = try regions.regionPage(query).nodes.compactMap { node in
        if case .region(let stored) = node { try stored.region() } else { nil }
      }
      let response = HTTPResponse(status: 200, contentType: format.contentType, body: format.text(regions))
      return .file(response.with("Content-Disposition", "attachment; filename=\"regions.\(format.fileEnding)\""))
    }
  }

  /// `GET /api/regions`: returns a page of the changes since the last synchronisation of a device.
  func changes(_ request: ParameterRequest<ChangeParameters>) async throws -> RawResult<RegionChanges> {
    let (parameters, known) = (request.parameters, request.http.header("If-None-Match"))
    var query = parameters.filter.query(of: request.http.device?.id, first: parameters.first.count)
    query.after = parameters.after.flatMap { $0.isEmpty ? nil : $0 }
    return try await work.run { [query] in
      let page = try regions.regionPage(query)
      // Only a complete synchronisation is recorded. A request with a box covers a part of the regions.
      if let device = query.device, !page.hasNextPage, query.box == nil {
        regionChanges.record(
          RegionSync(
            device: device, time: work.now, scope: page.scope, revision: page.revision, total: page.total, filter: query.filter))
      }
      let tag = "\"\(page.total.digest)-\(page.endCursor)\""
      if EntityTag.matches(known, tag) { return RawResult(Self.notModified(tag)) }
      return RawResult(.json(Self.text(of: page)).with("ETag", tag))
    }
  }

  private static func text(of page: StoredRegionPage) -> [UInt8] {
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
    return text
  }

  /// `GET /api/v1/regions/ID`
  func one(_ request: PlainRequest) async throws -> RegionResult {
    let (id, known) = (request.parameter, request.http.header("If-None-Match"))
    return try await work.run {
      guard let region = try regions.region(id: id) else { throw Self.unknown(id) }
      let tag = "\"\(region.revision)\""
      return EntityTag.matches(known, tag) ? RegionResult(Self.notModified(tag)) : RegionResult(region)
    }
  }

  private static func notModified(_ tag: String) -> HTTPResponse {
    HTTPResponse(status: 304, contentType: "application/json", body: []).with("ETag", tag).with(
      "Cache-Control", "private, no-cache")
  }

  // MARK: Writing

  /// `POST /api/v1/regions`; with `dry=true` returns the changes and stores nothing.
  func importAll(
    _ request: OperationRequest<ImportParameters, RegionBody<RegionFile>>
  ) async throws -> CreatedOrReplaced<ImportedRegions> {
    let (parameters, body) = (request.parameters, request.body)
    return try await work.run {
      let bytes = try body.decoded()
      let found: RegionImport
      do throws(FormatError) {
        found = try RegionFormat.read(bytes, tags: parameters.tag.words, defaultRadius: parameters.radius?.value)
      } catch {
        throw Self.problem(error)
      }
      let change =
        try parameters.dry
        ? Self.check(at: found.regions, in: regions) : regions.save(found.regions, if: .none, at: work.now)
      if !parameters.dry { regionChanges.refresh() }
      return CreatedOrReplaced(ImportedRegions(change, found), isNew: change.created > 0 && !parameters.dry)
    }
  }

  /// Returns the changes that saving the regions would make.
  private static func check(at regions: [Region], in store: any RegionStore) throws -> RegionChange {
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
  func put(_ request: OperationRequest<ConditionParameters, RegionBody<RegionDocument>>) async throws -> CreatedOrReplaced<
    RegionResult
  > {
    let (id, body, condition) = (request.parameter, request.body, request.parameters.condition)
    return try await work.run {
      let bytes = try body.decoded()
      let region: Region
      do throws(FormatError) { region = try RegionJSON.read(bytes, id: id) } catch { throw Self.problem(error) }
      let change: RegionChange
      do { change = try regions.save([region], if: condition, at: work.now) } catch let conflict as RegionConflict {
        throw Self.problem(conflict)
      }
      regionChanges.refresh()
      guard let stored = try regions.region(id: id) else { throw Self.unknown(id) }
      return CreatedOrReplaced(RegionResult(stored), isNew: change.created > 0)
    }
  }

  /// `DELETE /api/v1/regions/ID`
  func delete(_ request: ParameterRequest<ConditionParameters>) async throws -> DeletedRegions {
    let (id, condition) = (request.parameter, request.parameters.condition)
    return try await work.run {
      let deleted: [String]
      do {
        deleted = try regions.deleteRegions(.ids([id]), if: condition, at: work.now)
      } catch let conflict as RegionConflict {
        throw Self.problem(conflict)
      }
      guard !deleted.isEmpty else { throw Self.unknown(id) }
      regionChanges.refresh()
      return DeletedRegions(deleted)
    }
  }

  /// `DELETE /api/v1/regions`: deletes the regions with `tag`, or all regions with `all=true`.
  func deleteMany(_ request: ParameterRequest<DeletionParameters>) async throws -> DeletedRegions {
    let selection = try request.parameters.selection
    return try await work.run {
      let deleted = try regions.deleteRegions(selection, if: .none, at: work.now)
      regionChanges.refresh()
      return DeletedRegions(deleted)
    }
  }

  // MARK: Problems

  private static func unknown(_ id: String) -> Problem {
    Problem(404, "Unknown region", "There is no region \"\(id)\".")
  }

  private static func problem(_ conflict: RegionConflict) -> Problem {
    Problem(412, "Changed meanwhile", "\(conflict) Read it again, and send the revision that it has in If-Match.")
  }

  /// Returns 400 for a document that is not a region document, and 422 for an invalid region.
  private static func problem(_ error: FormatError) -> Problem {
    guard let path = error.place.path else {
      return Problem(400, "Not readable as regions", error.description, at: error.place.description)
    }
    return Problem(422, "Not a region", error.description, at: path)
  }
}
