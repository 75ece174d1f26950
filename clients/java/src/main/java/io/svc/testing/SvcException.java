package io.svc.testing;

/** A response that is not a success, a server that can't be reached, or one that doesn't start. */
public class SvcException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String error;
  private final String details;
  private final transient Object body;

  SvcException(String message, int status, String error, String details, Object body, Throwable cause) {
    super(message, cause);
    this.status = status;
    this.error = error;
    this.details = details;
    this.body = body;
  }

  /** The status of the response, 0 without one. */
  public int status() {
    return status;
  }

  /** The error's word, such as {@code invalid_rule}; empty without one. */
  public String error() {
    return error;
  }

  /** What the error says in words; may be empty. */
  public String details() {
    return details;
  }

  /** The parsed JSON of the response, or its text. */
  public Object body() {
    return body;
  }
}
