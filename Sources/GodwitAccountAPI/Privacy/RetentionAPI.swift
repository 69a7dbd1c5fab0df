internal import Foundation
internal import GodwitAccess
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/devices/NAME/retention`: the time for which a device's points are stored.
struct RetentionAPI {
  let work: RequestWork

  /// Returns the device of a request.
  @discardableResult
  func device(_ request: HTTPRequest) throws(Problem) -> Device {
    try request.principal.device(named: request.parameter, in: work.store, wholly: true)
  }

  func show(_ request: PlainRequest) async throws -> Rule {
    try await work.run {
      let device = try device(request.http)
      let entry = try work.store.read { try RetentionTable.entry(of: device.id, $0) }
      return Rule(entry?.retention ?? Retention())
    }
  }

  func set(_ request: OperationRequest<ChangeParameters, RuleBody>) async throws -> Change {
    try await set(request.body.retention, request.parameters, request.http)
  }

  func remove(_ request: ParameterRequest<ChangeParameters>) async throws -> Change {
    try await set(nil, request.parameters, request.http)
  }

  /// - Parameter retention: the new rule; `nil` to keep points without a time limit.
  private func set(_ retention: Retention?, _ parameters: ChangeParameters, _ request: HTTPRequest) async throws -> Change {
    let (now, ifMatch) = (work.now, parameters.ifMatch)
    let device = try await work.run { try self.device(request) }
    if parameters.dry {
      return try await work.run {
        let entry = RetentionTable.Entry(device: device, retention: retention ?? Retention(), thinned: nil)
        let result = try RetentionRun(database: work.store).dry(entry, at: now)
        return Change(rule: Rule(retention ?? Retention(), would: result), isDry: true)
      }
    }
    return try await work.write { db in
      try ifMatch?.check(Rule(try RetentionTable.entry(of: device.id, db)?.retention ?? Retention()))
      try RetentionTable.set(retention, of: device.id, at: now, db)
      return Change(rule: Rule(retention ?? Retention()), isDry: false)
    }
  }

  /// Applies the retention rule at once instead of at night.
  func run(_ request: EmptyBodyRequest<RunParameters>) async throws -> Rule {
    let (name, isDry, now) = (request.parameter, request.parameters.dry, work.now)
    return try await work.run {
      let device = try device(request.http)
      guard let entry = try work.store.read({ try RetentionTable.entry(of: device.id, $0) }) else {
        throw Problem(
          409, "Nothing to do", "There is no retention rule for \(name.jsonQuoted). PUT /api/v1/devices/NAME/retention sets one.")
      }
      let run = RetentionRun(database: work.store)
      let result = isDry ? try run.dry(entry, at: now) : try run.run(entry, at: now)
      return Rule(entry.retention, did: isDry ? nil : result, would: isDry ? result : nil)
    }
  }
}
