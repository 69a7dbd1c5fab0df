// Configuration, addresses and logs of the server are types of its HTTP module: `import GodwitServer` is enough for them.
@_exported public import GodwitHTTP
