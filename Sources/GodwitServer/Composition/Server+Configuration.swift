public import GodwitAccess
public import GodwitHTTP
public import GodwitIntake
public import GodwitStore
public import GodwitTransfer

extension Server {
  public struct Configuration: Sendable {
    public var listen: ListenAddress
    /// Folder of the administrator's token, and of the database if ``store`` is `nil`; created if it does not exist.
    public var dataFolder: String
    /// Location of the database; `nil`: ``dataFolder``.
    public var store: StoreLocation?
    /// Map tiles of another server for the pages; `nil`: the pages contact no other server.
    public var tiles: MapTiles?
    /// A file with map tiles (PMTiles 3); `nil` uses a file with the suffix `.pmtiles` in ``dataFolder``, if there is one.
    public var basemap: String?
    /// A file of roads that `godwit roads` creates; `none` disables roads; `nil` uses a file with the suffix `.roads` in ``dataFolder``, if
    /// there is one.
    public var roads: String?
    /// URL of a Nominatim server for the addresses of visits; `nil`: no geocoding.
    public var geocoder: String?
    /// Folder with `maplibre-gl.js` and its style sheet; `nil` searches the usual folders.
    public var mapLibraryFolder: String?
    /// Days after which points are compressed; `nil` disables compression.
    public var sealAfterDays: Double? = 3
    /// Threads that read requests and decode bodies.
    public var threads = 2
    /// Maximum bytes of a request body, after decompression.
    public var maximumBody = 16 << 20
    /// Maximum bytes of an imported file.
    public var maximumUpload = 64 << 30
    /// Seconds without a byte after which a connection is closed.
    public var idleTimeout: UInt32 = 30
    /// Rate limits by kind of client.
    public var rateLimits = RateLimits()
    /// Limits on the resources that one client may use at the same time.
    public var shares = ShareLimits()
    /// The broker to which OwnTracks apps publish; `nil`: no broker.
    public var mqtt: MQTTConfiguration?
    /// The server that receives a copy of all records; `nil`: this server sends none. If the store has a mirror, changes wait until a
    /// server sends them.
    public var mirror: MirrorOptions?
    /// Whether to remove the store's mirror. Later changes are not sent.
    public var endsMirror = false
    /// Proxies whose headers are trusted for the address of a request's client.
    public var trustedProxies = TrustedProxies.thisMachine
    /// The header in which trusted proxies name the user of a request; `nil`: none.
    public var identityHeader: IdentityHeader?
    /// The OpenID provider whose users may sign in; `nil`: none.
    public var openID: OpenIDConfiguration?
    /// CORS origins whose pages may read responses with a token, such as `https://example.org`; `*` for all.
    public var allowedOrigins: [String] = []
    /// The log of requests.
    public var log: RequestLog?
    /// Certificate and key; `nil`: no TLS.
    public var tls: TLSFiles?
    /// Whether responses over TLS have the header `Strict-Transport-Security` for a year (RFC 6797).
    public var keepsToTLS = true
    /// The machine's addresses in private networks, the preferred one first. A server that listens on a loopback address can be opened to
    /// the network at the first of them.
    public var networkAddresses: @Sendable () -> [String] = ServerHost.addresses
    /// Whether the server is a demo, whose pages link to the setup of the user's own phone.
    public var isDemo = false
    /// Receives messages about the server itself, such as a renewed certificate.
    public var notices: @Sendable (String) -> Void = { _ in }

    public init(listen: ListenAddress, dataFolder: String) {
      self.listen = listen
      self.dataFolder = dataFolder
    }
  }
}
