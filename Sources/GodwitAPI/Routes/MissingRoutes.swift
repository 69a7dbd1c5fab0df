internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of device health.
enum MissingRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/rejected", access: .reader, summary: "Lists rejected records, newest first") {
      try $0.rejected.list($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/rejected", access: .accountChange, summary: "Deletes rejected records") {
      try $0.rejected.removeMany($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/rejected/retry", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Reads rejected records again, of a device, of a reason or all"
    ) { try $0.rejected.retryMany($1) },
    Route(
      methods: ["GET"], path: "/api/v1/rejected/ID", access: .reader, summary: "Returns a rejected record with the fault marked"
    ) {
      $0.rejected.one($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/rejected/ID", access: .accountChange, summary: "Deletes a rejected record") {
      $0.rejected.remove($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/rejected/ID/retry", access: .accountChange, maximumBody: RejectedRecordAPI.maximumBody,
      summary: "Reads a rejected record again, unchanged or corrected"
    ) { try $0.rejected.retry($1) },
    Route(
      methods: ["GET"], path: "/api/v1/device-health", access: .reader,
      summary: "Lists the health of devices: overdue ones and gaps"
    ) {
      $0.missing.list($1)
    },
    Route(methods: ["GET"], path: "/api/v1/devices/NAME/health", access: .reader, summary: "Returns the health of a device") {
      $0.missing.one($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/heartbeat", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Sets the heartbeat expectation of a device"
    ) { try $0.missing.setRule($1) },
    Route(
      methods: ["POST"], path: "/api/v1/qr", access: .account, maximumBody: JSONBody.limit, summary: "Encodes a text as a QR code"
    ) {
      try $0.codes.make($1)
    },
    Route(methods: ["GET"], path: "/devices", access: .open, summary: "Page of devices") { .now($0.pages.file($1)) },
  ]
}
