extension HTTPClient.Request {
  /// The same within the limits of a server, which has many of them on their way: of an answer the first 64 KiB are read.
  package var boundedForServer: Self {
    var request = self
    request.timeout = 15
    request.connectTimeout = 10
    request.maximumAnswerSize = 64 << 10
    request.acceptsCompression = false
    return request
  }
}
