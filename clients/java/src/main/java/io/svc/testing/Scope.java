package io.svc.testing;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What can be done with a session, and with the whole instance. */
public abstract class Scope {
  private static final int DEFAULT_LIMIT = 100;
  private static final int SHOWN_REQUESTS = 5;

  private final Connection connection;
  private final Map<String, String> scope;
  private final Rules rules;

  Scope(Connection connection, Map<String, String> scope) {
    this.connection = connection;
    this.scope = scope;
    this.rules = new Rules(connection, scope);
  }

  /** The rules of the session or of the instance. */
  public Rules rules() {
    return rules;
  }

  /** Captured requests, newest first, at most 100. */
  public List<Map<String, Object>> requests() {
    return requests(Map.of());
  }

  /** Captured requests that pass a filter, newest first, at most {@code limit} of the filter (100). */
  public List<Map<String, Object>> requests(Map<String, ?> filter) {
    return Json.objects(captured(filter, Duration.ZERO).get("requests"));
  }

  /**
   * Waits until {@code count} requests have come that pass the filter, and returns them.
   *
   * @throws VerificationException if they do not come in time; it names the requests that came instead
   */
  public List<Map<String, Object>> waitFor(Map<String, ?> filter, int count, Duration timeout) {
    Map<String, Object> query = new LinkedHashMap<>(filter);
    query.putIfAbsent("limit", Math.max(DEFAULT_LIMIT, count));
    query.put("wait_for", count);
    query.put("timeout_ms", timeout.toMillis());
    Map<String, Object> page = captured(query, timeout);
    List<Map<String, Object>> requests = Json.objects(page.get("requests"));
    if (Boolean.TRUE.equals(page.get("satisfied"))) return requests;
    throw late(filter, count, requests, page.get("waited_ms"));
  }

  /**
   * Whether the expected requests came. A verification is a map, or JSON text; null: at least one request of any kind.
   *
   * @throws VerificationException if they did not; it names the closest request and how it differs
   */
  public Map<String, Object> verify(Object verification) {
    String body = verification == null ? "{}" : jsonText(verification);
    return Json.object(connection.call("POST", "/_svc/verify", scope, body, waitOf(body)));
  }

  /** Captured requests as an HTTP archive (HAR 1.2). */
  public Map<String, Object> har() {
    return har(Map.of());
  }

  /** Captured requests that pass a filter, as an HTTP archive (HAR 1.2). */
  public Map<String, Object> har(Map<String, ?> filter) {
    Map<String, Object> query = new LinkedHashMap<>(filter);
    query.put("format", "har");
    return Json.object(connection.call("GET", "/_svc/requests/export", query, null, Duration.ZERO));
  }

  /** Removes what the service keeps, or these kinds of it, and returns how much of each. */
  public Map<String, Object> reset(String... kinds) {
    String body = kinds.length == 0 ? null : Json.write(Map.of("kinds", kinds));
    return Json.object(Json.object(connection.call("POST", "/_svc/reset", scope, body, Duration.ZERO)).get("removed"));
  }

  /** Text is JSON already. */
  static String jsonText(Object value) {
    if (value == null || value instanceof String) return (String) value;
    try {
      return Json.write(value);
    } catch (IllegalArgumentException error) {
      throw new SvcException(error.getMessage(), 0, "invalid_value", error.getMessage(), null, error);
    }
  }

  static String linesOf(List<Map<String, Object>> requests) {
    return requests.stream()
        .map(entry -> entry.get("method") + " " + entry.get("uri") + " " + entry.get("status"))
        .collect(Collectors.joining("\n"));
  }

  private Map<String, Object> captured(Map<String, ?> query, Duration wait) {
    return Json.object(connection.call("GET", "/_svc/requests", query, null, wait));
  }

  private VerificationException late(Map<String, ?> filter, int count, List<Map<String, Object>> requests, Object waitedMs) {
    Map<String, Object> newest = new LinkedHashMap<>(Map.of("limit", SHOWN_REQUESTS));
    if (filter.containsKey("session")) newest.put("session", filter.get("session"));
    String came = linesOf(requests(newest));
    String conditions =
        filter.entrySet().stream()
            .filter(entry -> !entry.getKey().equals("limit"))
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(" and "));
    String expected = "at least " + count;
    String message =
        "expected " + expected + (count == 1 ? " request" : " requests") + (conditions.isEmpty() ? "" : " with " + conditions)
            + ", got " + requests.size() + " in " + waitedMs + " ms; "
            + (came.isEmpty() ? "no request came" : "the newest requests are\n" + came);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("expected", expected);
    body.put("count", requests.size());
    body.put("requests", requests.stream().map(entry -> entry.get("id")).toList());
    body.put("closest", List.of());
    return new VerificationException(message, 200, body);
  }

  /** How long a verification waits. What is wrong with it is reported by the server. */
  private static Duration waitOf(String verification) {
    try {
      Map<String, Object> members = Json.object(Json.parse(verification));
      long waitMs = 0;
      for (String name : List.of("within_ms", "settle_ms"))
        if (members.get(name) instanceof Number number) waitMs += number.longValue();
      return Duration.ofMillis(Math.max(0, Math.min(waitMs, 60_000)));
    } catch (IllegalArgumentException error) {
      return Duration.ZERO;
    }
  }
}
