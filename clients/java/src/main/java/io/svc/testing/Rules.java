package io.svc.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The rules of a session, or of the instance. A rule is a map, or JSON text. */
public final class Rules {
  private final Connection connection;
  private final Map<String, String> scope;

  Rules(Connection connection, Map<String, String> scope) {
    this.connection = connection;
    this.scope = scope;
  }

  /** Stores a rule under this name, or replaces it; its counters begin again. Returns it as it is stored. */
  public Map<String, Object> put(String name, Object rule) {
    return Json.object(call("PUT", path(name), rule));
  }

  /** Stores a rule or a list of rules, all or none. Rules without a name get one. */
  public List<Map<String, Object>> add(Object rules) {
    return Json.objects(Json.object(call("POST", "/_svc/rules", rules)).get("rules"));
  }

  /**
   * Stores the rules of a JSON file with {@code rules}, all or none.
   *
   * @throws SvcException if the file can't be read or is not such a file
   */
  public List<Map<String, Object>> load(Path path) {
    Object content;
    try {
      content = Json.parse(Files.readString(path));
    } catch (IOException error) {
      throw new SvcException(path + " can't be read: " + error, 0, "unreadable_file", error.toString(), null, error);
    } catch (IllegalArgumentException error) {
      String message = path + " is " + error.getMessage() + "; YAML is read by svc itself, as a rule file of svc.yaml";
      throw new SvcException(message, 0, "invalid_file", message, null, error);
    }
    if (Json.object(content).get("rules") instanceof List<?> rules) return add(rules);
    String message = path + " has no list of rules under \"rules\"";
    throw new SvcException(message, 0, "invalid_file", message, null, null);
  }

  /** The rule, with {@code matches} and {@code hits}; an {@link SvcException} with the status 404 if there is no such rule. */
  public Map<String, Object> get(String name) {
    return Json.object(call("GET", path(name), null));
  }

  /** The rules in the order in which they are evaluated. */
  public List<Map<String, Object>> list() {
    return Json.objects(Json.object(call("GET", "/_svc/rules", null)).get("rules"));
  }

  /** Removes a rule; an {@link SvcException} with the status 404 if there is no such rule. */
  public int delete(String name) {
    return removed(call("DELETE", path(name), null));
  }

  /** Removes all rules that were stored over HTTP, and returns their number. */
  public int clear() {
    return removed(call("DELETE", "/_svc/rules", null));
  }

  private Object call(String method, String path, Object body) {
    return connection.call(method, path, scope, Scope.jsonText(body), Duration.ZERO);
  }

  private static int removed(Object answer) {
    return ((Number) Json.object(answer).get("removed")).intValue();
  }

  private static String path(String name) {
    return "/_svc/rules/" + Connection.encode(name);
  }
}
