internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of the photos of a user.
enum PhotoRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/photos/server", access: .account, id: "photoServer",
      summary: "Returns the Immich server of the asking user", returns: "The server, without its key."
    ) { $0.photos.server },
    Route(
      .put, path: "/api/v1/photos/server", access: .accountChange, id: "setPhotoServer",
      summary: "Stores address and key of an Immich server",
      details:
        "The server must answer and accept the key. An address of this machine or of a private network is accepted from an administrator, and then from other users too. No real Immich server was tried.",
      returns: "The server, without its key.", problems: [503]
    ) { $0.photos.setServer }.confirmed(),
    Route(
      .delete, path: "/api/v1/photos/server", access: .accountChange, id: "removePhotoServer",
      summary: "Removes the Immich server of the asking user", returns: "No server.", problems: [404]
    ) { $0.photos.removeServer },
    Route(
      .get, path: "/api/v1/photos", access: .account, id: "photos",
      summary: "Lists photos of a period on the user's Immich server",
      details: "Photos without a position are listed too, unless bbox is given. A period has at most 400 days.",
      returns: "Photos, by time.", problems: [404, 503]
    ) { $0.photos.photos },
    Route(
      .get, path: "/api/v1/photos/ID/thumbnail", access: .account, id: "photoThumbnail",
      summary: "Returns a picture of a photo", returns: "JPEG, PNG, WebP, GIF or AVIF; never SVG.",
      parameter: "The id of a photo.", problems: [404, 503]
    ) { $0.photos.picture },
  ]
}
