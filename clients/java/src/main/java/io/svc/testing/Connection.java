package io.svc.testing;

import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** The control plane below a base URL. Threads can share it. */
final class Connection {
  /** How long a response may take, in addition to what the operation waits. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).proxy(new ProxiesElsewhere()).build();

  private final String base;
  private final String token;

  Connection(String base, String token) {
    this.base = base;
    this.token = token;
  }

  /** The parsed answer. {@code wait} is how long the server may take on purpose; {@code body} is JSON text, or null. */
  Object call(String method, String path, Map<String, ?> query, String body, Duration wait) {
    String parameters =
        query.entrySet().stream()
            .map(entry -> encode(entry.getKey()) + "=" + encode(String.valueOf(entry.getValue())))
            .collect(Collectors.joining("&"));
    HttpResponse<String> response;
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(base + path + (parameters.isEmpty() ? "" : "?" + parameters)))
              .timeout(TIMEOUT.plus(wait));
      if (token != null) request.header("X-Svc-Admin-Token", token);
      if (body != null) request.header("Content-Type", "application/json");
      request.method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
      response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | IllegalArgumentException error) {
      throw unreachable(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw unreachable(error);
    }
    return answer(response.statusCode(), response.body());
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private Object answer(int status, String text) {
    Object body;
    try {
      body = Json.parse(text);
    } catch (IllegalArgumentException error) {
      if (status >= 200 && status <= 299)
        throw new SvcException("the response of " + base + " is not JSON", status, "invalid_response", error.getMessage(), text, error);
      body = text;
    }
    if (status >= 200 && status <= 299) return body;
    Map<String, Object> members = Json.object(body);
    if ("verification_failed".equals(members.get("error")))
      throw new VerificationException(textOf(members.get("message")), status, members);
    throw new SvcException(status + ": " + text, status, textOf(members.get("error")), textOf(members.get("details")), body, null);
  }

  private static String textOf(Object value) {
    return value == null ? "" : value.toString();
  }

  private SvcException unreachable(Exception error) {
    String details = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    return new SvcException("no response from " + base + ": " + details, 0, "no_response", details, null, error);
  }

  /** The proxies of the JVM, except for this machine. */
  private static final class ProxiesElsewhere extends ProxySelector {
    @Override
    public java.util.List<java.net.Proxy> select(URI uri) {
      String host = uri.getHost();
      boolean isLocal = host == null || host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
      ProxySelector usual = ProxySelector.getDefault();
      return isLocal || usual == null ? java.util.List.of(java.net.Proxy.NO_PROXY) : usual.select(uri);
    }

    @Override
    public void connectFailed(URI uri, java.net.SocketAddress address, IOException error) {}
  }
}
