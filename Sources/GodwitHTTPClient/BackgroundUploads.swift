internal import Foundation
internal import GodwitLocks

/// Uploads whose tasks belong to the system and survive the program. A later launch continues an upload whose request has the
/// same name, and cancels the others.
final class BackgroundUploads: Sendable {
  /// A task of the system.
  struct SystemTask: Sendable {
    var number: Int
    var resume: @Sendable () -> Void
    var cancel: @Sendable () -> Void
  }

  /// The description of a task, which the system stores across launches.
  struct Label: Codable, Hashable {
    /// The name of the uploaded file.
    var file: String
    /// The name of the request; `nil`: a later launch cannot continue it.
    var name: String?
    /// The pinned keys of the server; `nil`: the trust of the system applies.
    var pins: [String]?

    var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Reads a description; `nil`: not a description of this version.
    init?(_ text: String?) {
      guard let text, let label = try? JSONDecoder().decode(Label.self, from: Data(text.utf8)) else { return nil }
      self = label
    }

    init(file: String, name: String?, pins: [String]?) { (self.file, self.name, self.pins) = (file, name, pins) }
  }

  private struct State {
    /// The uploads of earlier launches, by the names of their requests.
    var earlier: [String: (task: SystemTask, file: String)] = [:]
    /// The numbers of all tasks of earlier launches.
    var seen: Set<Int> = []
    var isListed = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  let responses = InFlightResponses()
  private let files: UploadFiles
  private let state = Mutex(State())

  init(files: UploadFiles) { self.files = files }

  // MARK: Earlier launches

  /// Handles a task of the system. A task of an earlier launch is held, or cancelled if it cannot be continued.
  /// - Returns: the description of a task that is held from now on; `nil` for any other task.
  @discardableResult
  func found(_ task: SystemTask, description: String?) -> Label? {
    let label = Label(description)
    guard !files.isOurs(label?.file) else { return nil }
    let isHeld = state.withLock { state -> Bool? in
      guard state.seen.insert(task.number).inserted else { return nil }
      guard let label, let name = label.name, state.earlier[name] == nil else { return false }
      state.earlier[name] = (task, label.file)
      // Done with the lock held: the response must not be requested before it is held.
      responses.hold(task.number)
      return true
    }
    if isHeld == false { task.cancel() }
    return isHeld == true ? label : nil
  }

  /// Handles the end of the list of the tasks of earlier launches.
  func listed() {
    let (waiting, kept) = state.withLock { state in
      defer { state.waiting = [] }
      state.isListed = true
      return (state.waiting, Set(state.earlier.values.map(\.file)))
    }
    // If a file cannot be deleted now, it is deleted at the next launch.
    try? files.removeLeftOvers(except: kept)
    for caller in waiting { caller.resume() }
  }

  /// Returns the names of uploads that can be continued, after the system has listed its tasks. A failed upload is cancelled, so
  /// that it is sent again.
  func names() async -> [String] {
    await withCheckedContinuation { caller in
      let isListed = state.withLock { state in
        if !state.isListed { state.waiting.append(caller) }
        return state.isListed
      }
      if isListed { caller.resume() }
    }
    let earlier = state.withLock { $0.earlier }
    for (name, upload) in earlier where responses.hasFailed(upload.task.number) { cancel(name) }
    return state.withLock { $0.earlier.keys.sorted() }
  }

  /// Cancels an upload of an earlier launch.
  func cancel(_ name: String) {
    guard let upload = state.withLock({ $0.earlier.removeValue(forKey: name) }) else { return }
    responses.discard(upload.task.number)
    upload.task.cancel()
    files.remove(upload.file)
  }

  // MARK: Sending

  private static let sleep: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

  /// Continues the upload of an earlier launch that has the name of the request, or starts a new upload.
  /// - Parameters:
  ///   - request: the request.
  ///   - pins: the pinned keys of the server.
  ///   - create: creates the task of the system for a file, with a description, without starting it.
  func send(
    _ request: HTTPClient.Request, pins: [String]?,
    create: (_ file: URL, _ description: String) -> SystemTask
  ) async throws -> HTTPClient.Response {
    if let name = request.name, let upload = state.withLock({ $0.earlier.removeValue(forKey: name) }) {
      defer { files.remove(upload.file) }
      return try await responses.respond(
        to: upload.task.number, within: request.timeout, sleep: Self.sleep, begin: {}, cancel: upload.task.cancel)
    }
    let file = try files.store(request.body)
    defer { files.remove(file.lastPathComponent) }
    let task = create(file, Label(file: file.lastPathComponent, name: request.name, pins: pins).text)
    return try await responses.respond(
      to: task.number, within: request.timeout, sleep: Self.sleep, begin: task.resume, cancel: task.cancel)
  }
}
