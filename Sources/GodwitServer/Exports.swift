// Configuration, limits, brokers, users and logs of the server are types of the modules below it: `import GodwitServer` is enough for
// them.
@_exported public import GodwitAccess
@_exported public import GodwitAccounts
@_exported public import GodwitGeofencing
@_exported public import GodwitHTTP
@_exported public import GodwitIntake
