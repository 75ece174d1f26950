package io.svc.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

class StartTest {
  @Test
  @EnabledIfEnvironmentVariable(named = "SVC_COMMAND", matches = ".+")
  void startAndStop() {
    Map<String, Object> pot =
        Map.of("name", "pot", "match", Map.of("path", "/pot"), "then", Map.of("respond", Map.of("status", 202)));
    Svc.Options options =
        new Svc.Options().withConfig(Map.of("rules", List.of(pot))).withEnv(Map.of("SVC_ADMIN_TOKEN", "secret"));
    Svc svc = Svc.start(options);
    try (svc) {
      assertTrue(svc.url().startsWith("http://127.0.0.1:"));
      assertTrue(svc.httpsUrl().startsWith("https://localhost:"));
      assertTrue(svc.grpcAddress().startsWith("127.0.0.1:"));
      assertTrue(svc.log().contains("HTTP listening on"));
      assertEquals(202, ClientTest.get(svc.url() + "/pot"));
      svc.rules().put("free", Map.of("match", Map.of("path", "/free"), "then", Map.of("respond", Map.of("status", 204))));
      assertEquals(401, assertThrows(SvcException.class, () -> Svc.connect(svc.url(), "wrong").rules().clear()).status());
      assertEquals(1, Svc.connect(svc.url() + "/", "secret").rules().clear());
    }
    svc.close();
    assertEquals(0, assertThrows(SvcException.class, () -> svc.rules().list()).status());
  }

  @Test
  void aProcessThatEnds() {
    String java = ProcessHandle.current().info().command().orElseThrow();
    SvcException error =
        assertThrows(SvcException.class, () -> Svc.start(new Svc.Options().withCommand(java, "--no-such-option")));
    assertEquals("start_failed", error.error());
    assertTrue(error.getMessage().startsWith("svc ended with exit code 1 before it was ready:\nUnrecognized option"), error.getMessage());
    error = assertThrows(SvcException.class, () -> Svc.start(new Svc.Options().withCommand("/no/such/program")));
    assertTrue(error.getMessage().startsWith("/no/such/program can't be started"));
  }

  @Test
  void aProcessThatIsNeverReady() {
    Svc.Options options = new Svc.Options().withTimeout(Duration.ofMillis(200)).withCommand("sleep", "600");
    SvcException error = assertThrows(SvcException.class, () -> Svc.start(options));
    assertTrue(error.getMessage().startsWith("svc was not ready within 200 ms"));
  }

  @Test
  void jsonIsReadAndWritten() {
    String text = "{\"a\":[1,-2.5,true,null,\"\\u00e9\\n\\\"\"],\"b\":{}}";
    Object value = Json.parse(text);
    assertEquals(value, Json.parse(Json.write(value)));
    for (String wrong : List.of("", "{", "[1,]", "01", "\"\n\"", "nul", "1 2", "{\"a\" 1}", "\"\\x\"", "[".repeat(100_000)))
      assertThrows(IllegalArgumentException.class, () -> Json.parse(wrong), wrong.substring(0, Math.min(9, wrong.length())));
    assertThrows(IllegalArgumentException.class, () -> Json.write(Double.NaN));
  }
}
