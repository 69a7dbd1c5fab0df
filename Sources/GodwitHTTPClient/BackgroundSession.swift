#if canImport(Security) && !os(watchOS)
  // Not compiled on systems without this URLSession, so it holds no decisions: InFlightResponses has responses and
  // timeouts, UploadFiles files and left-over tasks, RequestRules trust and redirects.
  internal import Foundation

  /// Uploads that continue while the app is suspended, over a background session of the system.
  ///
  ///     let session = BackgroundSession(identifier: "com.example.app.upload")
  ///     configuration.environment.client = session.client
  ///
  /// Uploads of an earlier launch are cancelled when the session is created, and repeated from the journal: servers
  /// that know identifiers of records store each of them once.
  ///
  /// Such a session follows redirects without asking. The upload then counts as failed. A redirect to another host over
  /// https is cancelled before anything is sent there; one within the host, or to `http:`, has already arrived there.
  public final class BackgroundSession: Sendable {
    private let session: URLSession
    private let delegate = UploadDelegate()
    private let direct = SystemSession()
    private let files: UploadFiles

    /// - Parameters:
    ///   - identifier: a constant identifier of the app. There must be only one session with it.
    ///   - timeout: seconds after which the system cancels an upload, also while the app is suspended. An endpoint's
    ///     own `timeout` can only be shorter.
    public init(identifier: String, timeout: Double = 60) {
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.isDiscretionary = false
      configuration.sessionSendsLaunchEvents = true
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      configuration.timeoutIntervalForRequest = timeout
      // Otherwise the system tries for seven days, and the tracker neither learns of a failure nor sends newer records.
      configuration.timeoutIntervalForResource = timeout
      files = UploadFiles(
        folder: UploadFiles.folder(in: FileManager.default.temporaryDirectory, session: identifier),
        launch: UUID().uuidString, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.getAllTasks { [files] tasks in
        for task in tasks where !files.isOurs(task.taskDescription) { task.cancel() }
        // A file that cannot be deleted now is deleted at the next launch.
        try? files.removeLeftOvers()
      }
    }

    /// The network of a tracker.
    public var client: HTTPClient { HTTPClient { [self] request in try await send(request) } }

    /// The body of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    /// - Parameter completion: the system's; called when all events have been delivered.
    @MainActor
    public func handleEvents(_ completion: @escaping () -> Void) { delegate.finish.handler = completion }

    private func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Response {
      // Only an upload from a file survives a suspension; a request without a body can wait.
      guard !request.body.isEmpty else { return try await direct.send(request) }
      if let pins = try request.checkedPins(), let host = request.url.host { delegate.trust.pin(pins, for: host) }
      let file = try files.store(request.body)
      defer { try? FileManager.default.removeItem(at: file) }
      let task = session.uploadTask(with: URLRequest(request), fromFile: file)
      task.taskDescription = file.lastPathComponent
      return try await delegate.responses.respond(
        to: task.taskIdentifier, within: request.timeout, sleep: { try await Task.sleep(for: .seconds($0)) },
        begin: { task.resume() }, cancel: { task.cancel() })
    }
  }

  private final class UploadDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let responses = InFlightResponses()
    let trust = TrustDelegate()
    let finish = Finish()

    /// The system's own completion handler, which belongs to the main thread.
    @MainActor
    final class Finish {
      var handler: (() -> Void)?
      nonisolated init() {}

      func call() {
        handler?()
        handler = nil
      }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      responses.received(data, of: dataTask.taskIdentifier)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let redirect = HTTPClient.Request.redirect(
        asked: (task.originalRequest?.httpMethod, task.originalRequest?.url),
        sent: (task.currentRequest?.httpMethod, task.currentRequest?.url), answered: task.response?.url)
      {
        responses.ended(.failed(redirect), of: task.taskIdentifier)
      } else if let response = task.response as? HTTPURLResponse, error == nil {
        responses.ended(
          .answered(status: response.statusCode, headers: SystemSession.headers(of: response)), of: task.taskIdentifier)
      } else {
        responses.ended(.failed(error ?? URLError(.badServerResponse)), of: task.taskIdentifier)
      }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      Task { @MainActor [finish] in finish.call() }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      // A task of an earlier launch, whose pins are unknown, and a redirect to another host are rejected.
      let isServer = challenge.protectionSpace.serverTrust != nil
      let isAsked = challenge.protectionSpace.host.lowercased() == task.originalRequest?.url?.host?.lowercased()
      guard responses.isWaiting(for: task.taskIdentifier), isAsked || !isServer else {
        return completionHandler(.cancelAuthenticationChallenge, nil)
      }
      trust.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
  }
#endif
