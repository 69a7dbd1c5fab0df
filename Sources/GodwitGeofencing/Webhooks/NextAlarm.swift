/// The next time at which a timer of a sender fires, so that a timer is set only if no other fires in time. All times are times of
/// the clock's `uptime`.
struct NextAlarm {
  private var time: Duration?

  /// Plans a timer.
  /// - Parameters:
  ///   - due: the time at which it must fire.
  ///   - now: the time.
  /// - Returns: whether the timer must be set; `false`: another one fires in time.
  mutating func plan(_ due: Duration, at now: Duration) -> Bool {
    if let time, time > now, time <= due { return false }
    time = due
    return true
  }

  /// Records that the timer for `due` has fired.
  mutating func fired(_ due: Duration) { if time == due { time = nil } }
}
