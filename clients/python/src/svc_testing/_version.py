"""The version of the client, which is that of svc."""

VERSION = "0.1.0"
