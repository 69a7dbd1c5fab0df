internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitWire

/// `/api/v1/devices/NAME/settings` and `/api/v1/devices/NAME/current`: desired and reported settings of a device, and its current state.
struct SettingsAPI {
  let work: RequestWork
  let deviceWork: DeviceWork

  static let maximumBody = 64 << 10

  func show(_ request: PlainRequest) async throws -> DeviceSettings {
    let (name, principal) = (request.parameter, request.principal)
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      return try work.store.read { try DeviceSettings(of: device, $0) }
    }
  }

  func put(_ request: OperationRequest<PutParameters, SettingsBody>) async throws -> Tagged<DeviceSettings> {
    let (parameters, settings, now) = (request.parameters, request.body.settings, work.now)
    return try await change(request, parameters.ifMatch) {
      try DesiredSettingsChange.place(settings, of: $0.id, force: parameters.force, at: now, $1)
    }
  }

  func withdraw(_ request: ParameterRequest<WithdrawParameters>) async throws -> Tagged<DeviceSettings> {
    let now = work.now
    return try await change(request, request.parameters.ifMatch) { device, connection in
      guard try DesiredSettingsChange.close(.cancelled, of: device.id, at: now, connection) else {
        throw Problem(404, "No pending settings", "No settings are pending for \(device.name).")
      }
    }
  }

  private func change<Parameters, Body>(
    _ request: OperationRequest<Parameters, Body>, _ condition: IfMatch?,
    _ body: @escaping @Sendable (Device, any SQLConnection) throws -> Void
  ) async throws -> Tagged<DeviceSettings> {
    try await deviceWork.change(request.principal, request.parameter) { device, connection in
      try condition?.check(DeviceSettings(of: device, connection))
      try body(device, connection)
      return Tagged(try DeviceSettings(of: device, connection))
    }
  }

  // MARK: Current state

  func now(_ request: PlainRequest) async throws -> CurrentState {
    let (name, principal) = (request.parameter, request.principal)
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      return CurrentState(device.name, try work.store.read { try AppTables.reports(of: device.id, $0) })
    }
  }
}
