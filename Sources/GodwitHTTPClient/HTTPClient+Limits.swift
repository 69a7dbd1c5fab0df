extension HTTPClient.Request {
  /// The request within the limits of a server with many concurrent requests: at most 64 KiB of a response are read.
  package var boundedForServer: Self {
    var request = self
    request.timeout = 15
    request.connectTimeout = 10
    request.maximumResponseSize = 64 << 10
    request.acceptsCompression = false
    return request
  }
}
