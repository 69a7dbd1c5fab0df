public import GodwitModel

/// What a phone with a policy did over a time, usually a day: everything that a report is made of.
public struct RunLog: Sendable {
  /// Name of the policy: "adaptive".
  public var policy: String
  /// Name of the way: "001", or that of its file.
  public var route: String
  /// The day by the sun at the way's first place: "2008-10-24".
  public var day: String
  /// Name of the phone's profile: "phone-2023".
  public var phone: String
  /// Name of a motion chip that errs: "ios-2014". Nil: it was always right.
  public var motionChip: String?
  /// Name of the system's profile: "ios18".
  public var system: String
  public var seed: UInt64
  public var start: SimulatedTime
  public var end: SimulatedTime
  /// What was recorded, in its order, with what still waited on the phone at the end. Times are the phone's, which a hazard may
  /// have set wrong.
  public var records: [Record] = []
  /// Records that waited on the phone at the end.
  public var waiting = 0
  /// Energy by part, in the order of `EnergyPart.allCases`.
  public var energy: [Energy] = []
  /// How the run went, a sample at least every ten minutes, the first at `start` and the last at `end`.
  public var samples: [Sample] = []
  public var counts = Counts()

  /// The phone as reports name it: "phone-2023", or "phone-2023, motion chip ios-2014".
  var phoneTitle: String { phone + (motionChip.map { ", motion chip \($0)" } ?? "") }

  /// How it stood at one moment.
  public struct Sample: Sendable, Hashable, Codable {
    public var time: SimulatedTime
    /// Joules used since the start, in the order of `EnergyPart.allCases`.
    public var joules: [Double]
    /// Of the battery, 0…1.
    public var batteryLevel: Double

    public init(time: SimulatedTime, joules: [Double], batteryLevel: Double) {
      self.time = time
      self.joules = joules
      self.batteryLevel = batteryLevel
    }
  }

  /// What happened how often.
  public struct Counts: Sendable, Hashable, Codable {
    /// Positions that the system delivered to the app.
    public var delivered = 0
    /// Requests that the server answered with success, and those that failed.
    public var uploads = 0
    public var failedUploads = 0
    /// Bytes of requests and of answers.
    public var bytesUp = 0
    public var bytesDown = 0
    /// How often the app was launched by the system, and made to run when it was suspended.
    public var launches = 0
    public var wakes = 0

    public init() {}
  }

  public init(
    policy: String, route: String, day: String, phone: String, system: String, seed: UInt64, start: SimulatedTime,
    end: SimulatedTime
  ) {
    self.policy = policy
    self.route = route
    self.day = day
    self.phone = phone
    self.system = system
    self.seed = seed
    self.start = start
    self.end = end
  }
}
