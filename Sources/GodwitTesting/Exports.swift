// `import GodwitTesting` also imports the phone, its world and the SDK. It does not import Core Location: a test with its own
// managers imports that by name, like the code under test.
@_exported public import Godwit
@_exported public import GodwitPhone
@_exported public import GodwitSimulator
