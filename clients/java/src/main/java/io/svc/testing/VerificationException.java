package io.svc.testing;

import java.util.List;
import java.util.Map;

/** The requests that came are not the expected ones. The message names the closest request, or what came instead. */
public class VerificationException extends AssertionError {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient Map<String, Object> body;

  VerificationException(String message, int status, Map<String, Object> body) {
    super(message);
    this.status = status;
    this.body = body;
  }

  /** The status of the response. */
  public int status() {
    return status;
  }

  /** The parsed JSON of the response. */
  public Map<String, Object> body() {
    return body;
  }

  /** What was expected, in words. */
  public String expected() {
    return String.valueOf(body.get("expected"));
  }

  /** How many requests came. */
  public int count() {
    return body.get("count") instanceof Number number ? number.intValue() : 0;
  }

  /** The requests that nearly match, each with its {@code differences}. */
  public List<Map<String, Object>> closest() {
    return Json.objects(body.get("closest"));
  }
}
