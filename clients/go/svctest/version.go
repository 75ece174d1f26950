package svctest

// Version is the version of the client, which is that of svc.
const Version = "0.1.0"
