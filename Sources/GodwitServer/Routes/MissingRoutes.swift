internal import GodwitHTTP

/// What is missing.
enum MissingRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/rejected", access: .reader, summary: "What was refused, as it came, and why") {
      try $0.rejected.list($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/rejected", access: .accountChange, summary: "Throws refused parts away") {
      try $0.rejected.removeMany($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/rejected/retry", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Reads refused parts again, of a device, of a reason or all"
    ) { try $0.rejected.retryMany($1) },
    Route(methods: ["GET"], path: "/api/v1/rejected/ID", access: .reader, summary: "A refused part with the fault marked") {
      $0.rejected.one($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/rejected/ID", access: .accountChange, summary: "Throws a refused part away") {
      $0.rejected.remove($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/rejected/ID/retry", access: .accountChange, maximumBody: RejectedRecordAPI.maximumBody,
      summary: "Reads a refused part again, as it came or mended"
    ) { try $0.rejected.retry($1) },
    Route(methods: ["GET"], path: "/api/v1/device-health", access: .reader, summary: "Who is silent, and what is missing of whom")
    {
      $0.missing.list($1)
    },
    Route(methods: ["GET"], path: "/api/v1/devices/NAME/health", access: .reader, summary: "What is missing of a device") {
      $0.missing.one($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/heartbeat", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Says when a device is silent, and whether anybody is told"
    ) { try $0.missing.setRule($1) },
    Route(methods: ["POST"], path: "/api/v1/qr", access: .account, maximumBody: JSONBody.limit, summary: "A text as a QR code") {
      try $0.codes.make($1)
    },
    Route(methods: ["GET"], path: "/devices", access: .open, summary: "The page of devices") { .now($0.pages.file($1)) },
  ]
}
