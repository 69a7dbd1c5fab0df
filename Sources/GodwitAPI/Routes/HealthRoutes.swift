internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of device health and rejected records.
enum HealthRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/rejected", access: .read, id: "rejectedRecords", summary: "Lists rejected records, newest first",
      returns: "The records."
    ) { $0.rejected.list },
    Route(
      .delete, path: "/api/v1/rejected", access: .accountChange, id: "deleteRejectedRecords", summary: "Deletes rejected records",
      returns: "How many were deleted."
    ) { $0.rejected.removeMany }.confirmed(),
    Route(
      .post, path: "/api/v1/rejected/retry", access: .accountChange, id: "retryRejectedRecords",
      summary: "Reads rejected records again, of a device, of a reason or all", returns: "What became of them."
    ) { $0.rejected.retryMany },
    Route(
      .get, path: "/api/v1/rejected/ID", access: .read, id: "rejectedRecord",
      summary: "Returns a rejected record with the fault marked", returns: "The record."
    ) { $0.rejected.one },
    Route(
      .delete, path: "/api/v1/rejected/ID", access: .accountChange, id: "deleteRejectedRecord",
      summary: "Deletes a rejected record",
      returns: "How many were deleted."
    ) { $0.rejected.remove }.confirmed(),
    Route(
      .post, path: "/api/v1/rejected/ID/retry", access: .accountChange, id: "retryRejectedRecord",
      summary: "Reads a rejected record again, unchanged or corrected", returns: "Stored.", problems: [409],
      maximumBody: RejectedRecordAPI.maximumBody
    ) { $0.rejected.retry },
    Route(
      .get, path: "/api/v1/device-health", access: .read, id: "devicesHealth",
      summary: "Lists the health of devices: overdue ones and gaps", returns: "The health of the devices."
    ) { $0.health.list },
    Route(
      .get, path: "/api/v1/devices/NAME/health", access: .read, id: "deviceHealth", summary: "Returns the health of a device",
      returns: "The health of the device."
    ) { $0.health.one },
    Route(
      .put, path: "/api/v1/devices/NAME/heartbeat", access: .accountChange, id: "setHeartbeat",
      summary: "Sets the heartbeat expectation of a device", returns: "The expectation."
    ) { $0.health.setRule }.looking { handlers, request throws(Problem) in try handlers.health.device(request) },
    Route(
      .delete, path: "/api/v1/devices/NAME/heartbeat", access: .accountChange, id: "unsetHeartbeat",
      summary: "Removes the heartbeat expectation of a device", returns: "The expectation."
    ) { $0.health.removeRule },
    Route(
      .post, path: "/api/v1/qr", access: .account, id: "qr", summary: "Encodes a text as a QR code", returns: "The rows."
    ) { $0.codes.make },
  ]
}
