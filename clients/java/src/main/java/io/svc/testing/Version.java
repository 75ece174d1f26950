package io.svc.testing;

/** The version of the client, which is that of svc. */
final class Version {
  static final String CURRENT = "0.1.0";

  private Version() {}
}
