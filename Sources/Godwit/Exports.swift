@_exported public import GodwitDelivery
@_exported public import GodwitEngine
@_exported public import GodwitHTTPClient
@_exported public import GodwitJournal
@_exported public import GodwitModel
@_exported public import GodwitText
@_exported public import GodwitWire

// `import Godwit` is all that an app writes: records, settings, events and their values come with it, and the formats in
// which it may want to hand its records on.
#if os(Linux)
  // Where the message buses are, for `DeviceMonitor` and `DesktopNotifier`.
  @_exported public import GodwitDBus
#endif
