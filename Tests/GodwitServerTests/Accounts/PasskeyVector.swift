import Testing

/// A passkey of another implementation: encoded by python-fido2, with keys and signatures of pyca/cryptography. The host is
/// `godwit.example`, the port 8443, and the signature counter 7.
struct PasskeyVector: Sendable, CustomTestStringConvertible {
  let algorithm, createdClientData, attestation, credential, clientData, authenticatorData, signature: String
  var testDescription: String { algorithm }

  static let all = [
    PasskeyVector(
      algorithm: "ES256",
      createdClientData:
        "eyJ0eXBlIjogIndlYmF1dGhuLmNyZWF0ZSIsICJjaGFsbGVuZ2UiOiAiakk4QmpWQzZ2MXBrM2dfM2F2TGFPWnB0V2tydkw4T0xV"
        + "ai0weHdwU2hkYyIsICJvcmlnaW4iOiAiaHR0cHM6Ly9nb2R3aXQuZXhhbXBsZTo4NDQzIiwgImNyb3NzT3JpZ2luIjogZmFsc2V9",
      attestation:
        "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViYwumWTxv2Ot128GE-PTngLThxf4JgXbgBl3Lt61N38ohdAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAFIrnsLQOWr6GcNbFBQBiWVfoJKaqpQECAyYgASFYIIrIpz66V38336Xe7MsH8kHKL46qkInNkbASB5aAAXXYIlgg"
        + "XrCm__Z563p0kJVIlh5KgQWo1eUS_nSXu0g4BsA9Fio",
      credential: "iuewtA5avoZw1sUFAGJZV-gkpqo",
      clientData:
        "eyJ0eXBlIjogIndlYmF1dGhuLmdldCIsICJjaGFsbGVuZ2UiOiAiMk04aFk2SzQ1STZ2VldlcTItVGItemxMQ19qbmRHa3dnY3JT"
        + "aGJTaklBcyIsICJvcmlnaW4iOiAiaHR0cHM6Ly9nb2R3aXQuZXhhbXBsZTo4NDQzIiwgImNyb3NzT3JpZ2luIjogZmFsc2V9",
      authenticatorData: "wumWTxv2Ot128GE-PTngLThxf4JgXbgBl3Lt61N38oiFAAAAB6FrY3JlZFByb3RlY3QC",
      signature: "MEYCIQDubascQPjseFFRwvr9yVMd3LEFw4Wr0jln8YkjZ80MZwIhANBRTGGEaXWNk-lGNFDqkCmTdwVvyYG6T5EZn993RZ3Q"),
    PasskeyVector(
      algorithm: "EdDSA",
      createdClientData:
        "eyJ0eXBlIjogIndlYmF1dGhuLmNyZWF0ZSIsICJjaGFsbGVuZ2UiOiAiR2VjU1ZIMEVLMXpCVUhEMVJ2MmpuUW1xUWlxYUlfTWYx"
        + "LUFwRXFFVVVobyIsICJvcmlnaW4iOiAiaHR0cHM6Ly9nb2R3aXQuZXhhbXBsZTo4NDQzIiwgImNyb3NzT3JpZ2luIjogZmFsc2V9",
      attestation:
        "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVh1wumWTxv2Ot128GE-PTngLThxf4JgXbgBl3Lt61N38ohdAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAFOZFmp1h3mgFIegp14CZhBVgC6ctpAEBAycgBiFYILFh5WYoHJAeEGj8WlbYuB47D4mHogWeslmFBJ63Zw1x",
      credential: "5kWanWHeaAUh6CnXgJmEFWALpy0",
      clientData:
        "eyJ0eXBlIjogIndlYmF1dGhuLmdldCIsICJjaGFsbGVuZ2UiOiAiMnY4MV9MaG8xc3B5N0t0TUlidkZjYlE3dVR1ZUxORXQwMWhY"
        + "U0FhZ0g3ayIsICJvcmlnaW4iOiAiaHR0cHM6Ly9nb2R3aXQuZXhhbXBsZTo4NDQzIiwgImNyb3NzT3JpZ2luIjogZmFsc2V9",
      authenticatorData: "wumWTxv2Ot128GE-PTngLThxf4JgXbgBl3Lt61N38oiFAAAAB6FrY3JlZFByb3RlY3QC",
      signature: "819OuQW0agpwXWGaUV06kOVRhcNKtS4uxbMfqglDUD0rW4uO9IqS-0cx95tdnokJ2MkXfIskRbuCnNd1qeq6Cw"),
    PasskeyVector(
      algorithm: "RS256",
      createdClientData:
        "eyJ0eXBlIjogIndlYmF1dGhuLmNyZWF0ZSIsICJjaGFsbGVuZ2UiOiAiWjE3MTdEcmU5aEQ1d0pwc3N2WkI2SkpaeTJlcGRDTzQ4"
        + "MkRvdmZVRlRQMCIsICJvcmlnaW4iOiAiaHR0cHM6Ly9nb2R3aXQuZXhhbXBsZTo4NDQzIiwgImNyb3NzT3JpZ2luIjogZmFsc2V9",
      attestation:
        "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVkBW8Lplk8b9jrddvBhPj054C04cX-CYF24AZdy7etTd_KIXQAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAABRyuIXYUzb2tO9zsd9xJe-PQW5joKQBAwM5AQAgWQEAzm51xzlvAtKBZLUheBJgCDkWhPzYfpQtwngqzesCWCbZ"
        + "zTHTk3Bh9Vatt4YElF-PslkqLQMHxPtyHC3uHz2wGzETugCKeAZZoUuq2-DHCz-0ItSW3ZdHnTVrcqwJ_alKgN1cFcqsfOPyJSKG"
        + "c8c4JrpOJyvGyXEjEPSyx-nfCLerDT-77PaRWVPOwJ0df-4QCHEUN0TfTDvwntCU0HuUfQ5dOvZxh5Z4k4FvjeWewI4qR1jG-G1u"
        + "yuq-QYYiDoUmDEtdFnUbby5_a1Vigxr_ZD77Qqgx6WPSe7D20-M1xDC5HSy-6oGiLLOhQNE9RKhq5oAA514jdkPJ9Jnm5NLUEyFD"
        + "AQAB",
      credential: "criF2FM29rTvc7HfcSXvj0FuY6A",
      clientData:
        "eyJ0eXBlIjogIndlYmF1dGhuLmdldCIsICJjaGFsbGVuZ2UiOiAiM3VMa0hRdWEwWGdKMlZVck9BNko3YThEdHFvVy1TWHJxQ2tn"
        + "Mld6eFZlayIsICJvcmlnaW4iOiAiaHR0cHM6Ly9nb2R3aXQuZXhhbXBsZTo4NDQzIiwgImNyb3NzT3JpZ2luIjogZmFsc2V9",
      authenticatorData: "wumWTxv2Ot128GE-PTngLThxf4JgXbgBl3Lt61N38oiFAAAAB6FrY3JlZFByb3RlY3QC",
      signature:
        "DU1pFsY3p21Kkyor4sBEyveRF5ijuqi8Aglv9emWo_egUu1CZTD_gmjfvxyMB0qSWtPOGU-mHEqSJdf-Skvc9lxMuVaZxcl8JN4u"
        + "nWFBtseNE4L8u-VP4NWCSLSuZ_syetkEEuVVLN5KwYZSTsiBDwBX2cD0xLU3CZybmV9wRLfqwGiXGlVEeSUhXRraxRaaeHxTtbX5"
        + "VZIxXP3FyHLPcqvRiaw5xCVF6wZYFf6EmALSnIQKAuZn2yEV5ZSRJaALi3uHxMIG02C7oULEzgzwYntN8LQ3DgohMH-o5RbwNqSH"
        + "AmWrLhrCvc5EZ7O2YYubRcHZyPCz7zxhZgdYD68A8g"),
  ]
}
