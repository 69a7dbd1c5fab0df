extension HTTPClient.Request {
  /// The request with the limits for a server with many concurrent requests: short timeouts, and at most 64 KiB of the response.
  package var boundedForServer: Self {
    var request = self
    request.timeout = 15
    request.connectTimeout = 10
    request.maximumResponseSize = 64 << 10
    request.acceptsCompression = false
    return request
  }
}
