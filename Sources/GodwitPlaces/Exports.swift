// `import GodwitPlaces` brings coordinates and the network as well.
@_exported public import GodwitHTTPClient
@_exported public import GodwitModel
