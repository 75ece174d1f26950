package io.svc.testing;

import java.util.Map;

/** A session: what one test stores and sees. */
public final class SvcSession extends Scope implements AutoCloseable {
  private final String name;
  private final String url;

  SvcSession(String base, String token, String name) {
    this(base + "/s/" + Connection.encode(name), name, token, Map.of());
  }

  private SvcSession(String url, String name, String token, Map<String, String> scope) {
    super(new Connection(url, token), scope);
    this.name = name;
    this.url = url;
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** The base URL for the system under test, without a slash at its end. */
  public String url() {
    return url;
  }

  /** The header that names the session, for clients with a fixed URL. */
  public Map<String, String> headers() {
    return Map.of("X-Svc-Session", name);
  }

  /** Removes everything that the service keeps of the session. */
  @Override
  public void close() {
    reset();
  }
}
