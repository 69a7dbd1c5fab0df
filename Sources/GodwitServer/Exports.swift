// Re-exports the modules whose types configure the server: `import GodwitServer` is enough for limits, brokers, users
// and logs.
@_exported public import GodwitAPI
@_exported public import GodwitAccess
@_exported public import GodwitAccounts
@_exported public import GodwitGeofencing
@_exported public import GodwitHTTP
@_exported public import GodwitIntake
@_exported public import GodwitRegions
@_exported public import GodwitRoutes
