/// The texts of the app. The raw value of a case is the English text, with `%1`, `%2` for values. ``AppTexts`` has the other languages.
public enum AppText: String, Sendable, Hashable, CaseIterable {
  // MARK: General

  case cancel = "Cancel"
  case continueLabel = "Continue"
  case decimalSeparator = "."
  case done = "Done"
  case months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
  case more = "More"
  case noValue = "–"
  case notNow = "Not now"
  case openSettings = "Open Settings"
  case remove = "Remove"
  case save = "Save"
  case tryAgain = "Try again"
  case unknown = "unknown"

  // MARK: Phases

  case failedTitle = "The tracker does not run"
  case resetServers = "Remove all servers and open"
  case opening = "Opening the tracker …"
  case waitingForUnlock = "Waiting for the phone to be unlocked for the first time after its start."

  // MARK: Tracker

  case tracker = "Tracker"
  case trackingEnabled = "Tracking enabled"
  case trackingEnabledHint = "Turns the recording of your location on or off, also for later launches."
  case age = "Age"
  case ageOfPosition = "Age of the position"
  case location = "Location"
  case accuracy = "Accuracy"
  case altitude = "Altitude"
  case speed = "Speed"
  case activity = "Activity"
  case queued = "Queued"
  case queuedRecords = "Queued records: %1"
  case lastSent = "Last sent"
  case ago = "%1 ago"
  case never = "never"
  case since = "For %1."
  case sendNow = "Send now"
  case sending = "Sending …"
  case sendInterval = "Send interval"
  case noServerAlert = "Records are kept on this phone: no server is set up."
  case permissionDeniedAlert = "This app may not access the location. Nothing is recorded until you allow it in Settings."
  case permissionNotAskedAlert = "This app has not asked for access to the location yet."
  case permissionRestrictedAlert = "A restriction of this phone prevents access to the location."
  case permissionWhenInUseAlert =
    "The location is available only while the app is in use. Choose \"Always\" in Settings to record in the background too."

  // MARK: Trips

  case trip = "Trip"
  case tripOf = "Trip: %1"
  case noTrip = "No trip"
  case startTrip = "Start trip"
  case stopTrip = "Stop trip"
  case tripEnding = "Ending the trip …"
  case tripIsAutomatic = "Started automatically; ends when you stop moving."
  case duration = "Duration"
  case distance = "Distance"
  case chosenMode = "%1, chosen"
  case screenStaysOn = "The screen stays on during this trip."

  // MARK: Settings

  case settings = "Settings"
  case tripSettings = "Trip settings"
  case searchSettings = "Search settings"
  case nothingFound = "No setting matches the search."
  case presets = "Presets"
  case inForce = "in force"
  case settingsHistory = "Last changes"
  case standardValue = "Default: %1"
  case serverMayChange = "Your server may change this setting."
  case changeSettingsPrompt = "Change the settings?"
  case changeAnyway = "Change anyway"
  case locationPermission = "Location permission"

  // MARK: Servers

  case servers = "Servers"
  case noServers = "No server is set up. Scan the QR code of your server, or add its address."
  case addServer = "Add server"
  case scanCode = "Scan QR code"
  case testConnection = "Send now and check"
  case newServer = "New server"
  case editServer = "Server"
  case serverName = "Name"
  case serverAddress = "Address"
  case serverFormat = "Format"
  case serverToken = "Access token"
  case serverPaused = "Paused"
  case onlyOnWifi = "Only over wifi"
  case deviceID = "Device ID"
  case deviceIDHint = "Your name for this phone, in every record and for every server."
  case tokenStored = "stored in the Keychain"
  case tokenNone = "none"
  case tokenIncluded = "included"
  case tokenInvalid = "The token contains blanks or other characters that a token cannot have."
  case tokenNotStored = "The token could not be stored: %1"
  case removeToken = "Remove the stored token"
  case asInSettings = "As in the settings"
  case paused = "paused"
  case lastSentAgo = "last sent %1 ago"
  case neverSent = "nothing sent since the launch"
  case recordsWait = "%1 queued"
  case removeServerPrompt = "Remove %1?"
  case removeServerText = "%1 records were not sent to it yet. They are lost if no other server has them."

  // MARK: Pairing

  case pairingTitle = "Pair with a server"
  case pairingScan = "Point the camera at the QR code that your server shows."
  case pairingPrompt = "Use this server and these settings?"
  case pairingAddsServer = "Records will be sent to a new server."
  case pairingChangesServer = "This changes the server \"%1\"."
  case pairingSettingsOnly = "This changes settings only."
  case pairingConfirm = "Use it"
  case pairingDone = "Done. Records are sent to this server from now on."
  case pairingAgain = "Scan again"
  case pairingLink = "Link of your server"
  case pairingRead = "Read the link"
  case cameraDenied = "This app may not use the camera. Allow it in Settings, or paste the link of your server."

  // MARK: Onboarding

  case stepOf = "%1 of %2"
  case welcomeTitle = "Your location, on your own server"
  case welcomeReason =
    "Godwit records where this phone is and sends it only to servers that you choose. You can turn it off at any time."
  case whenInUseTitle = "Access to your location"
  case whenInUseReason =
    "Without it nothing can be recorded. First allow it while you use the app; the next step is about the background."
  case locationDeniedReason =
    "This app may not access the location. Allow it in Settings, or continue without: nothing is recorded then."
  case allowLocation = "Allow location"
  case alwaysTitle = "Also in the background"
  case alwaysReason =
    "A track without gaps needs the location while the phone is in your pocket. The system asks again, and later reminds you that it is allowed."
  case alwaysAskedReason = "If the system did not ask, choose \"Always\" for this app in Settings under Location."
  case allowAlways = "Allow always"
  case motionTitle = "Motion and fitness"
  case motionReason =
    "The phone's motion chip tells walking from driving, starts trips automatically and counts steps. It also saves battery."
  case allowMotion = "Allow motion"
  case notificationsTitle = "Notifications"
  case notificationsReason =
    "The app notifies you when tracking stops unexpectedly, a trip starts or ends, or a server rejects records."
  case allowNotifications = "Allow notifications"
  case serverTitle = "Your server"
  case serverReason = "Scan the QR code that your server shows under \"Add device\". Without a server records stay on this phone."

  // MARK: Coverage

  case coverage = "Coverage"
  case coverageExplanation = "Why there are positions in the last 24 hours, or why there are none."
  case coverageEmpty = "Nothing is known yet: tracking has just begun."
  case coverageShare = "Positions in %1 % of the last 24 hours."
  case coverageSegment = "%1, for %2: %3"
  case positions = "%1 positions"

  // MARK: Wifi zones

  case wifiZones = "Wifi zones"
  case wifiZonesExplanation =
    "While the phone is in one of these networks, its place is recorded instead of the receiver's position."
  case wifiZonesEmpty = "There is no wifi zone."
  case addZone = "Add a zone"
  case addZoneHere = "Add this network here"
  case addZoneHereUnknown = "The phone is in no wifi network whose name is known, or it has no position yet."
  case editZone = "Wifi zone"
  case connectedZone = "%1, connected"
  case networkName = "Name of the network"
  case latitude = "Latitude"
  case longitude = "Longitude"
  case zoneInvalid = "A zone needs the name of a network, a latitude of -90 to 90 and a longitude of -180 to 180."

  // MARK: Regions

  case regions = "Regions"
  case regionsUnavailable = "Regions come from a Godwit server. Pair with one first."
  case regionsEmpty = "The server has no region for this phone."
  case regionCount = "%1 regions"
  case regionsInside = "Inside now"
  case regionsNear = "Near"
  case insideRegion = "inside"
  case beacons = "Beacons"
  case syncRegions = "Copy from the server now"

  // MARK: Maps

  case map = "Map"
  case mapEmpty = "No position of this day is on this phone."
  case mapLabel = "Map of %1: %2"
  case youAreHere = "Newest position"
  case today = "Today"
  case yesterday = "Yesterday"
  case previousDay = "Previous day"
  case nextDay = "Next day"
  case loading = "Loading …"
  case loadHistory = "Load from the server"
  case readingToken = "Token for reading"
  case readingTokenExplanation =
    "To show other days from your server, create a token for reading on its page \"Tokens\" and paste it here."
  case historyNoAddress = "This server's address has no history."
  case historyTokenRejected = "The server does not accept the token for reading."
  case historyNoTrack = "The server's answer is not a track."
  case historyStatus = "The server answered with the status %1."

  // MARK: About

  case about = "About and privacy"
  case version = "Version %1"
  case collectedTitle = "What is recorded"
  case destinationTitle = "Where it is sent"
  case noDestination = "Nowhere: no server is set up."
  case destinationExposed = "%1, without encryption"
  case retentionTitle = "How long it is kept"
  case retentionText =
    "Records wait for an unreachable server for %1. Positions for the map stay on this phone for %2. What a server has stays there."
  case privacyPromise = "No analytics, no advertising, no other recipients. Tokens are in the Keychain only."
  case exportTrack = "Export positions (GPX)"
  case deleteAll = "Delete everything on this phone"
  case deleteAllPrompt = "Delete everything?"
  case deleteAllText =
    """
    Tracking is turned off. Positions, wifi zones, servers, tokens and %1 records that were not sent are deleted. Settings and \
    coverage stay, and so does what your servers have.
    """
  case deletedAll = "Positions, wifi zones, servers, tokens and unsent records were deleted from this phone."
  case deletionFailed = "Not everything could be deleted: %1"

  // MARK: Spoken

  case saidWhenOpen = "The tracker is being opened; it is done then."
  case saidTracking = "Tracking is on now."
  case saidAlreadyTracking = "Tracking is on already."
  case saidTrackingOff = "Tracking is off now."
  case saidNotTracking = "Tracking is off already."
  case saidTripStarted = "Trip started: %1."
  case saidTripRuns = "A trip is running already."
  case saidTripStopped = "Trip stopped after %1 in %2."
  case saidNoTrip = "No trip is running."
  case saidNothingQueued = "Everything was sent already."
  case saidSending = "Sending %1 records."
  case saidPlace = "%1: you were at %2."
  case saidUnknownPlace = "No position near %1 is on this phone."

  // MARK: Watch

  case watchNoPhone = "The phone is not reachable."

  // MARK: History

  case mapEmptyDay = "No position on this day."
  case mapNoTrack = "no way"
  case mapOneTrack = "%1 in 1 track"
  case mapTracks = "%1 in %2 tracks"
  case readingAccess = "History from your server"
  case readingNoServer = "Days that are no longer on this phone can be shown after you pair with your Godwit server."
  case historyAsOf = "Shown as of %1."
  case historyCut = "This day has more positions than can be shown."
  case historyTooLarge = "The server's answer is too large."
  case historyOffline = "The server cannot be reached."

  // MARK: Gaps

  case coverageGaps = "Gaps"
  case coverageNoGaps = "No gap in the last 24 hours."
  case coverageGapCount = "gaps: %1"
  case coverageNoData = "No data"
  case coverageNoDataReason = "The tracker was not installed yet, or this minute is not over."

  // MARK: Validation of wifi zones

  case zoneNameMissing = "Enter the name of the network."
  case zoneNameLong = "The name of a network has at most 32 bytes."
  case zoneNameControl = "The name contains a line break or another control character."
  case latitudeInvalid = "The latitude must be a number from −90 to 90."
  case longitudeInvalid = "The longitude must be a number from −180 to 180."

  // MARK: Sync of regions

  case regionsNoSensor = "This phone does not monitor the regions of a Godwit server."
  case regionsOtherServer =
    "None of your servers has regions. They come from a Godwit server, whose address ends with /api/overland."
  case regionsNeverSynced = "Never copied from the server."
  case regionsSynced = "Copied from the server %1 ago."

  // MARK: Companions

  case watchOtherVersion = "Update the app on the phone and on the watch: their versions do not match."
  case watchTooLate = "The command arrived too late and was ignored."
  case saidFuture = "%1 is yet to come."
  case saidUnknownAnywhere = "No position near %1 is on this phone or on your server."

  // MARK: Overview

  case allTime = "All time"
}
