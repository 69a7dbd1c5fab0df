/// The texts of the app: a case has the English text, with `%1`, `%2` for values. ``AppTexts`` has the other languages.
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

  // MARK: Screens

  case map = "Map"
}
