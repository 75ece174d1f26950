package io.svc.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SvcExtension.class)
class ClientTest {
  static final String BUSY = "{\"match\": {\"path\": \"/anything\"}, \"then\": [{\"fail\": 503, \"times\": 2}]}";
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  static int get(String url, String... headers) {
    try {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
      if (headers.length > 0) request.headers(headers);
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
    } catch (Exception error) {
      throw new AssertionError(error);
    }
  }

  static List<Object> all(List<Map<String, Object>> entries, String member) {
    return entries.stream().map(entry -> entry.get(member)).toList();
  }

  static List<Integer> three(SvcSession session) {
    return IntStream.range(0, 3).mapToObj(i -> get(session.url() + "/anything")).toList();
  }

  @Test
  void twice503Then200(SvcSession session) {
    assertEquals("busy", session.rules().put("busy", BUSY).get("name"));
    assertEquals(List.of(503, 503, 200), three(session));
    assertEquals(2L, session.rules().get("busy").get("hits"));
  }

  @Test
  void parallelSessionsDoNotSeeEachOther(Svc svc) {
    List<CompletableFuture<Integer>> runs = IntStream.range(0, 8).mapToObj(i -> CompletableFuture.supplyAsync(() -> {
      try (SvcSession session = svc.session()) {
        session.rules().put("busy", BUSY);
        assertEquals(List.of(503, 503, 200), three(session));
        return session.requests().size();
      }
    })).toList();
    for (CompletableFuture<Integer> run : runs) assertEquals(3, run.join());
    assertNotEquals(svc.session().name(), svc.session().name());
  }

  @Test
  void rulesAreAddedListedDeletedAndCleared(SvcSession session) {
    Map<String, Object> pass = Map.of("then", Map.of("pass", true));
    Rules rules = session.rules();
    assertEquals(List.of("a", "r1"), all(rules.add(List.of(Map.of("name", "a", "then", Map.of("pass", true)), pass)), "name"));
    assertTrue(all(rules.list(), "name").containsAll(List.of("a", "r1")));
    assertEquals(1, rules.delete("a"));
    SvcException error = assertThrows(SvcException.class, () -> rules.delete("a"));
    assertEquals(404, error.status());
    assertEquals("unknown_rule", error.error());
    assertEquals(1, rules.clear());
  }

  @Test
  void aWrongRuleNamesItsPlace(SvcSession session) {
    SvcException error = assertThrows(SvcException.class, () -> session.rules().put("x", "{\"then\": [{\"fial\": 503}]}"));
    assertEquals(400, error.status());
    assertTrue(error.details().contains("did you mean"));
    assertEquals("then[0].fial", Json.object(error.body()).get("at"));
    assertEquals("invalid_value", assertThrows(SvcException.class, () -> session.rules().put("x", new Object())).error());
  }

  @Test
  void rulesOfAFileAreStoredAllOrNone(SvcSession session, @TempDir Path folder) throws Exception {
    Path file = folder.resolve("rules.json");
    Files.writeString(file, "{\"rules\": [{\"name\": \"one\", \"then\": {\"pass\": true}}]}");
    assertEquals(List.of("one"), all(session.rules().load(file), "name"));
    String half = "{\"rules\": [{\"name\": \"two\", \"then\": {\"pass\": true}}, {\"then\": [{\"fial\": 1}]}]}";
    Map<String, String> wrong = Map.of(half, "invalid_rule", "rules:\n  - name: a\n", "invalid_file", "[]", "invalid_file");
    for (Map.Entry<String, String> entry : wrong.entrySet()) {
      Files.writeString(file, entry.getKey());
      assertEquals(entry.getValue(), assertThrows(SvcException.class, () -> session.rules().load(file)).error());
    }
    assertTrue(!all(session.rules().list(), "name").contains("two"));
    Path none = folder.resolve("none.json");
    assertEquals("unreadable_file", assertThrows(SvcException.class, () -> session.rules().load(none)).error());
  }

  @Test
  void requestsAreFilteredAndNewestFirst(SvcSession session, Svc svc) {
    get(session.url() + "/anything/a");
    get(svc.url() + "/anything/b", "X-Svc-Session", session.headers().get("X-Svc-Session"));
    assertEquals(List.of("/anything/b", "/anything/a"), all(session.requests(), "uri"));
    assertEquals(List.of("/anything/a"), all(session.requests(Map.of("path", "/anything/a", "status", 200)), "uri"));
    assertEquals(1, session.requests(Map.of("limit", 1)).size());
  }

  @Test
  void waitForReturnsWhatCame(SvcSession session) {
    CompletableFuture.runAsync(() -> get(session.url() + "/anything/late"));
    assertEquals(
        List.of("/anything/late"), all(session.waitFor(Map.of("path", "/anything/late"), 1, Duration.ofSeconds(20)), "uri"));
  }

  @Test
  void aWaitThatFailsNamesWhatCameInstead(SvcSession session) {
    get(session.url() + "/anything/other");
    VerificationException error =
        assertThrows(VerificationException.class, () -> session.waitFor(Map.of("path", "/anything/this"), 2, Duration.ofMillis(20)));
    assertTrue(error.getMessage().startsWith("expected at least 2 requests with path /anything/this, got 0 in "), error.getMessage());
    assertTrue(error.getMessage().endsWith("\nGET /anything/other 200"), error.getMessage());
    assertEquals(0, error.count());
  }

  @Test
  void aFailedVerificationNamesTheClosest(SvcSession session) {
    get(session.url() + "/anything/orders");
    assertEquals(true, session.verify(null).get("verified"));
    Map<String, Object> one = Map.of("match", Map.of("path", "/anything/orders"), "exactly", 1, "within_ms", 1000, "settle_ms", 1);
    assertEquals(1L, session.verify(one).get("count"));
    VerificationException error =
        assertThrows(
            VerificationException.class,
            () -> session.verify("{\"match\": {\"path\": \"/anything/orders\", \"method\": \"PUT\"}}"));
    assertEquals(409, error.status());
    assertTrue(error.getMessage().contains("the closest is GET /anything/orders"));
    assertEquals(
        List.of(Map.of("at", "method", "expected", "PUT", "got", "GET")), error.closest().get(0).get("differences"));
  }

  @Test
  void harAndReset(SvcSession session) {
    get(session.url() + "/anything");
    session.rules().put("busy", BUSY);
    assertEquals(1, ((List<?>) Json.object(session.har().get("log")).get("entries")).size());
    assertEquals(0, ((List<?>) Json.object(session.har(Map.of("status", 404)).get("log")).get("entries")).size());
    assertEquals(1L, session.reset("requests").get("requests"));
    assertEquals(1L, session.reset().get("rules"));
    assertEquals(List.of(), session.requests());
  }

  @Test
  void theInstanceHasTheSameMethods(Svc svc) {
    String name = "client-" + svc.session().name();
    svc.rules().put(name, Map.of("match", Map.of("path", "/" + name), "then", Map.of("respond", Map.of("body", "hi"))));
    assertEquals(200, get(svc.url() + "/" + name));
    svc.verify(Map.of("match", Map.of("path", "/" + name), "exactly", 1));
    assertEquals(name, svc.waitFor(Map.of("path", "/" + name), 1, Duration.ofSeconds(1)).get(0).get("rule"));
    assertEquals(1, svc.rules().delete(name));
  }

  @Test
  void attach() {
    Svc svc = Svc.connect("http://127.0.0.1:9/base/");
    assertEquals("http://127.0.0.1:9/base", svc.url());
    assertEquals("http://127.0.0.1:9/base/s/mine", svc.session("mine").url());
    SvcException error = assertThrows(SvcException.class, () -> svc.rules().list());
    assertEquals(0, error.status());
    svc.close();
  }
}
