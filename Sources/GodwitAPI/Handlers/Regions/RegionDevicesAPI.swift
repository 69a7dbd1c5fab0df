internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRegions
internal import GodwitRoutes
internal import GodwitStore

/// `/api/v1/region-devices`, the region rules of devices, and groups: which regions devices should have, and which they have.
struct RegionDevicesAPI {
  let work: RequestWork
  let regions: any RegionStore
  let regionChanges: RegionChangeNotifier

  /// `GET /api/v1/region-devices`
  func devices(_ request: PlainRequest) async throws -> RegionDeviceList {
    try await work.run { RegionDeviceList(try regions.regionDevices()) }
  }

  /// `GET /api/v1/devices/NAME/regions`
  func rule(_ request: PlainRequest) async throws -> DeviceRule {
    let name = request.parameter
    return try await work.run {
      let device = try Device.named(name, in: work.store)
      return DeviceRule(try regions.regionRule(device: device.id) ?? DeviceRegionRule())
    }
  }

  /// Finds the device, so that an unknown device is reported before faults of the body.
  func find(_ request: HTTPRequest) throws(Problem) { _ = try Device.named(request.parameter, in: work.store) }

  /// `PUT /api/v1/devices/NAME/regions`
  func setRule(_ request: OperationRequest<RuleParameters, DeviceRuleBody>) async throws -> Tagged<DeviceRule> {
    try await set(request.body.rule, request)
  }

  /// `DELETE /api/v1/devices/NAME/regions`
  func deleteRule(_ request: ParameterRequest<RuleParameters>) async throws -> Tagged<DeviceRule> {
    try await set(nil, request)
  }

  private func set<Body>(
    _ rule: DeviceRegionRule?, _ request: OperationRequest<RuleParameters, Body>
  ) async throws -> Tagged<DeviceRule> {
    let (name, condition) = (request.parameter, request.parameters.ifMatch)
    return try await work.run {
      let device = try Device.named(name, in: work.store)
      try regions.setRegionRule(rule, device: device.id, at: work.now) { before in
        try condition?.check(DeviceRule(before ?? DeviceRegionRule()))
      }
      regionChanges.refresh()
      return Tagged(DeviceRule(rule ?? DeviceRegionRule()))
    }
  }

  /// `GET /api/v1/groups`
  func groups(_ request: PlainRequest) async throws -> GroupList {
    try await work.run {
      let groups = try regions.regionGroups().sorted { $0.key < $1.key }
      return GroupList(groups: groups.map { RegionGroup(name: $0.key, $0.value) })
    }
  }

  /// `PUT /api/v1/groups/NAME/regions`
  func setGroup(_ request: BodyRequest<GroupRuleBody>) async throws -> RegionGroup {
    try await setGroup(request.body.rule, named: request.parameter)
  }

  /// `DELETE /api/v1/groups/NAME/regions`
  func deleteGroup(_ request: PlainRequest) async throws -> RegionGroup { try await setGroup(nil, named: request.parameter) }

  private func setGroup(_ rule: RegionRule?, named name: String) async throws -> RegionGroup {
    guard Device.isValid(name: name) else {
      throw Problem(
        400, "Bad name", "\"\(name)\" is not a group name: 1 to 64 letters, digits, blanks and -_.@, as for devices.")
    }
    return try await work.run {
      try regions.setRegionGroup(rule, named: name, at: work.now)
      regionChanges.refresh()
      return RegionGroup(name: name, rule ?? RegionRule())
    }
  }
}
