internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitVisits

/// `/api/v1/timeline/corrections`: users' corrections of visits and trips.
struct CorrectionAPI {
  let work: RequestWork

  /// Lists the corrections of a device, newest first.
  func list(_ request: ParameterRequest<ListParameters>) async throws -> CorrectionPage {
    let (principal, parameters) = (request.principal, request.parameters)
    let times = try parameters.times.milliseconds(in: TimeRange.all)
    return try await work.run {
      let device = try principal.device(named: parameters.device.name, in: work.store, wholly: true)
      return try work.store.read { db in
        let limit = parameters.limit.count
        let found = try CorrectionTable.newest(
          ofDevice: device.id, times.lowerBound...times.upperBound - 1, before: parameters.cursor?.place.row, limit: limit + 1, db
        )
        let applied = try CorrectionEditor(device: device.id, db).applied(Array(found.prefix(limit)))
        let page = found.prefix(limit).map { Correction($0, of: device, applies: applied.contains($0.id)) }
        return CorrectionPage(
          corrections: page, nextCursor: NextCursor(found.count > limit ? found[limit - 1].id.description : nil))
      }
    }
  }

  func add(_ request: BodyRequest<NewCorrection>) async throws -> Created<Correction> {
    let (principal, body, now) = (request.principal, request.body, work.now)
    let action = try body.change()
    let device = try await work.run { try principal.device(named: body.device, in: work.store, wholly: true) }
    request.audit(device.name)
    let times = try body.times()
    return try await work.write { db in
      let editor = CorrectionEditor(device: device.id, db)
      let correction = try Self.problems { try editor.add(action, to: body.kind, times, at: now) }
      return Created(Correction(correction, of: device, applies: true))
    }
  }

  /// Undoes a correction.
  func undo(_ request: PlainRequest) async throws -> Correction {
    let (principal, id, now) = (request.principal, request.parameter, work.now)
    let unknown = Problem(
      404, "Unknown correction",
      "There is no correction \(id.jsonQuoted). /api/v1/timeline/corrections?device=NAME lists the existing ones.")
    let device = try await work.run {
      try work.store.read { db in
        guard let number = TimelineCorrection.number(of: id), let known = try CorrectionTable.correction(number, db),
          principal.seesAll(of: known.device), let device = try TrackTables.device(id: known.device, db)
        else { throw unknown }
        return device
      }
    }
    request.audit(device.name)
    return try await work.write { db in
      guard let number = TimelineCorrection.number(of: id) else { throw unknown }
      let undone = try Self.problems { try CorrectionEditor(device: device.id, db).undo(number, at: now) }
      return Correction(undone, of: device, applies: false)
    }
  }

  private static func problems<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let rejection as CorrectionEditor.Rejection {
      switch rejection.reason {
      case .unknown: throw Problem(404, "Unknown entry", "\(rejection) /api/v1/visits and /api/v1/trips list the existing ones.")
      case .invalid: throw Problem(422, "Not a correction", "\(rejection)", at: rejection.member)
      case .conflict: throw Problem(409, "Not possible", "\(rejection)", at: rejection.member)
      }
    }
  }
}
