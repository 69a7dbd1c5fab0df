internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// Routes of regions, and of Overland and OwnTracks.
enum ServerRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["POST"], path: "/api/overland", access: .device, summary: "Receives Overland batches") {
      try $0.overland.respond($1)
    },
    Route(methods: ["GET"], path: "/api/overland", access: .device, summary: "Returns the name of the token's device") {
      _, request in
      let name = request.device?.name ?? ""
      return .now(.json(Array("{\"name\":\(name.jsonQuoted)}\n".utf8)))
    },
    Route(methods: ["POST"], path: "/api/owntracks", access: .app, summary: "Receives OwnTracks messages") {
      try $0.ownTracks.respond($1)
    },
    Route(methods: ["POST"], path: "/pub", access: .app, summary: "Receives OwnTracks messages at the recorder's address") {
      try $0.ownTracks.respond($1)
    },
  ]
}
