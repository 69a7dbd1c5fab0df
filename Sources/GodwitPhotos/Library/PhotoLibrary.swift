package import Foundation
package import GodwitHTTPClient
package import GodwitServices

/// Requests photos from the Immich servers of users. Browsers send requests only to this server.
package final class PhotoLibrary: Sendable {
  private let everywhere: HTTPClient
  private let publicAddresses: HTTPClient
  private let clock: ServerClock
  private let images: ImageCache
  private let gate = RequestGate(concurrent: 6, waiting: 300)

  /// The maximum number of photos of one request.
  package static let maximumPhotos = 5000
  /// The maximum size of the images in memory in bytes.
  package static let cacheSize = 32 << 20

  /// - Parameters:
  ///   - everywhere: a client that can reach all addresses.
  ///   - publicAddresses: a client that cannot reach this machine and private networks.
  ///   - clock: the clock for the lifetime of images.
  ///   - cacheSize: the maximum size of the images in memory in bytes.
  package init(
    everywhere: HTTPClient = .live(), publicAddresses: HTTPClient = .live(reaching: .publicAddresses), clock: ServerClock,
    cacheSize: Int = PhotoLibrary.cacheSize
  ) {
    self.everywhere = everywhere
    self.publicAddresses = publicAddresses
    self.clock = clock
    images = ImageCache(maximumBytes: cacheSize)
  }

  /// Checks whether there is an Immich server at an address, and whether it accepts the key.
  /// - Throws: ``PhotoServerError``.
  package func check(_ server: ReachableServer) async throws(PhotoServerError) {
    let client = client(server)
    try await gate.run(server.server.account) { () async throws(PhotoServerError) in try await client.check() }
  }

  /// Returns the photos of a period, sorted by time.
  /// - Throws: ``PhotoServerError``.
  package func photos(
    _ times: Range<Date>, on server: ReachableServer, maximum: Int = PhotoLibrary.maximumPhotos
  ) async throws(PhotoServerError) -> PhotoPage {
    let client = client(server)
    return try await gate.run(server.server.account) { () async throws(PhotoServerError) in
      try await client.photos(times, maximum: maximum)
    }
  }

  /// Returns the image of a photo, from the cache if possible.
  /// - Throws: ``PhotoServerError``.
  package func image(
    _ photo: PhotoID, _ size: PhotoSize, on server: ReachableServer
  ) async throws(PhotoServerError) -> PhotoImage {
    let key = ImageCache.Key(server.server, photo, size)
    if let known = images.image(key, at: clock.uptime) { return known }
    let client = client(server)
    return try await gate.run(server.server.account) { [images, clock] () async throws(PhotoServerError) in
      // Another request may have fetched it meanwhile.
      if let known = images.image(key, at: clock.uptime) { return known }
      let image = try await client.image(photo, size)
      images.store(image, key, at: clock.uptime)
      return image
    }
  }

  /// Removes the cached images of a user whose server was changed or removed.
  package func discard(_ account: Int64?) { images.removeAll(of: account) }

  private func client(_ server: ReachableServer) -> ImmichClient {
    let network =
      switch server.reach {
      case .everywhere: everywhere
      case .publicAddresses: publicAddresses
      }
    return ImmichClient(address: server.server.address, key: server.server.key, network: network)
  }
}
