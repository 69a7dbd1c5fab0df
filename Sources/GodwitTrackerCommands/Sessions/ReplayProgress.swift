#if os(Linux)
  internal import CoreLocation
  internal import Foundation
  internal import Godwit
  internal import GodwitEngine
  internal import GodwitModel
  internal import Synchronization

  /// The number of fixes of a file that are in a tracker's journal. It is written in the same transaction as the records, so that a
  /// replay resumes at the next fix even after a crash.
  final class ReplayProgress: ReplayPositions {
    /// Progress as stored in the journal. Its key is derived from the file's first fix.
    private struct Note: Codable {
      /// Number of fixes from the start of the file.
      var count: Int
      var latitude: Double
      var longitude: Double
    }

    private struct State {
      var journal: Journal?
      var key: String?
      /// Fixes that were reported to the tracker and not recorded yet, with their positions.
      var reported: [(position: Int, fix: Fix)] = []
      var known: Note?
    }

    /// Maximum number of fixes in `reported`. The tracker itself holds fewer.
    private static let maximumReported = 200_000
    private let state = Mutex(State())
    private let isFromStart: Bool

    /// - Parameter isFromStart: Whether to start with the first fix, regardless of stored progress.
    init(isFromStart: Bool) { self.isFromStart = isFromStart }

    func connect(_ journal: Journal) { state.withLock { $0.journal = journal } }

    func replayedBefore(first: Fix, isTimed: Bool) -> (count: Int, last: Coordinate?) {
      let place = first.coordinate
      let time = isTimed ? " \(first.time.timeIntervalSince1970)" : ""
      let key = "replay \(place.latitude),\(place.longitude)\(time)"
      let journal = state.withLock { state in
        state.key = key
        return state.journal
      }
      guard !isFromStart, let text = try? journal?.remembered(key),
        let note = try? JSONDecoder().decode(Note.self, from: Data(text.utf8)), note.count > 0
      else { return (0, nil) }
      return (note.count, Coordinate(latitude: note.latitude, longitude: note.longitude))
    }

    func willReport(_ fixes: [Fix], from position: Int) {
      state.withLock { state in
        for (offset, fix) in fixes.enumerated() { state.reported.append((position + offset, fix)) }
        state.reported.removeFirst(max(0, state.reported.count - Self.maximumReported))
      }
    }

    /// Returns the values to store in the journal with the records of an event.
    func notes(_ event: Event) -> [String: String?] {
      guard case .fixes(let fixes) = event, let last = fixes.last else { return [:] }
      return state.withLock { state in
        // Fixes that were dropped before this one count as processed.
        let found = state.reported.firstIndex { $0.fix.time == last.time && $0.fix.coordinate == last.coordinate }
        guard let found, let key = state.key else { return [:] }
        let (position, fix) = state.reported[found]
        state.reported.removeFirst(found + 1)
        let note = Note(count: position + 1, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
        state.known = note
        return [key: Self.text(note)]
      }
    }

    /// Stores the progress at the end of the file, including final fixes that were not recorded.
    func finish() throws {
      let (journal, key, note) = state.withLock { ($0.journal, $0.key, $0.reported.last.map(Self.makeNote) ?? $0.known) }
      guard let key, let note else { return }
      try journal?.remember(key, Self.text(note))
    }

    private static func makeNote(_ reported: (position: Int, fix: Fix)) -> Note {
      Note(count: reported.position + 1, latitude: reported.fix.coordinate.latitude, longitude: reported.fix.coordinate.longitude)
    }

    private static func text(_ note: Note) -> String? {
      (try? JSONEncoder().encode(note)).map { String(decoding: $0, as: UTF8.self) }
    }
  }
#endif
