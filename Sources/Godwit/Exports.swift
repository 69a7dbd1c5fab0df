@_exported public import GodwitDelivery
@_exported public import GodwitEngine
@_exported public import GodwitHTTPClient
@_exported public import GodwitJournal
@_exported public import GodwitModel
@_exported public import GodwitText
@_exported public import GodwitWire

// An app imports only `Godwit`: records, settings, events, their values and the export formats come with it.
#if os(Linux)
  // The message buses, for `DeviceMonitor` and `DesktopNotifier`.
  @_exported public import GodwitDBus
#endif
