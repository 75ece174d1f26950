package io.svc.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A running svc with its own folder. */
final class SvcProcess {
  private static final String PUBLISHED_NAME = "@svc-upstream/svc";
  private static final int STOP_SECONDS = 5;
  private static final int POLL_MS = 50;
  private static final int KEPT_LINES = 10_000;
  private static final int SHOWN_LINES = 20;
  private static final Pattern LISTENING = Pattern.compile("\\b(HTTP|HTTPS|gRPC) listening on \\S*:(\\d+)");
  private static final boolean IS_WINDOWS = File.separatorChar == '\\';

  private static final Map<String, String> OWN_VARIABLES =
      Map.of(
          "SVC_HOST", "127.0.0.1",
          "SVC_HTTP_PORT", "0",
          "SVC_HTTPS_PORT", "0",
          "SVC_GRPC_PORT", "0",
          "SVC_LOG_LEVEL", "warn",
          // svc ends when its standard input ends, however this JVM ends.
          "SVC_PARENT_PIPE", "true");

  private final Path folder;
  private final Process child;
  private final Thread reader;
  private final Thread hook = new Thread(this::end);
  private final Deque<String> lines = new ArrayDeque<>();
  private final Map<String, String> ports = new ConcurrentHashMap<>();
  private boolean isStopped;

  private SvcProcess(Path folder, Process child) {
    this.folder = folder;
    this.child = child;
    reader = new Thread(this::read, "svc output");
    reader.setDaemon(true);
    reader.start();
    Runtime.getRuntime().addShutdownHook(hook);
  }

  static SvcProcess start(Svc.Options options) {
    List<String> command = commandOf(options);
    Path folder = null;
    SvcProcess process;
    try {
      folder = Files.createTempDirectory("svc-test-");
      if (options.config() != null) {
        // JSON is valid YAML.
        String text = options.config() instanceof String given ? given : Json.write(options.config());
        Files.writeString(folder.resolve("svc.yaml"), text);
      }
      ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
      builder.environment().keySet().removeIf(name -> name.startsWith("SVC_"));
      builder.environment().putAll(OWN_VARIABLES);
      builder.environment().putAll(options.env());
      process = new SvcProcess(folder, builder.start());
    } catch (IOException | IllegalArgumentException error) {
      if (folder != null) remove(folder);
      String message = command.get(0) + " can't be started: " + error.getMessage();
      throw new SvcException(message, 0, "start_failed", message, null, error);
    }
    try {
      process.waitUntilReady(options.timeout());
    } catch (RuntimeException error) {
      process.stop();
      throw error;
    }
    return process;
  }

  /** The prefix with the port of a listener; null without one. */
  String address(String label, String prefix) {
    String port = ports.get(label);
    return port == null ? null : prefix + port;
  }

  String log() {
    synchronized (lines) {
      return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    }
  }

  void stop() {
    synchronized (this) {
      if (isStopped) return;
      isStopped = true;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException error) {
      // The JVM ends, and its hook does the rest.
      return;
    }
    end();
  }

  private void end() {
    List<ProcessHandle> started = child.descendants().toList();
    try {
      child.getOutputStream().close();
    } catch (IOException error) {
      // The process has ended.
    }
    child.destroy();
    try {
      if (!child.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        // A wrapper such as npx ends together with what it has started.
        started.forEach(ProcessHandle::destroyForcibly);
        child.destroyForcibly().waitFor();
      }
      reader.join(1000);
    } catch (InterruptedException error) {
      child.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    remove(folder);
  }

  private void waitUntilReady(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    try {
      while (!isReady()) {
        if (!child.isAlive()) {
          reader.join(1000);
          throw failure("svc ended with exit code " + child.exitValue() + " before it was ready");
        }
        if (System.nanoTime() >= deadline) throw failure("svc was not ready within " + timeout.toMillis() + " ms");
        Thread.sleep(POLL_MS);
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw failure("interrupted before svc was ready");
    }
  }

  private boolean isReady() {
    String base = address("HTTP", "http://127.0.0.1:");
    if (base == null) return false;
    try {
      HttpURLConnection connection = (HttpURLConnection) URI.create(base + "/_svc/ready").toURL().openConnection(Proxy.NO_PROXY);
      connection.setConnectTimeout(1000);
      connection.setReadTimeout(1000);
      boolean isReady = connection.getResponseCode() == 200;
      connection.disconnect();
      return isReady;
    } catch (IOException error) {
      return false;
    }
  }

  private void read() {
    try (BufferedReader output = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        synchronized (lines) {
          if (lines.size() == KEPT_LINES) lines.removeFirst();
          lines.addLast(line);
        }
        Matcher found = LISTENING.matcher(line);
        if (found.find()) ports.putIfAbsent(found.group(1), found.group(2));
      }
    } catch (IOException error) {
      // The process has ended.
    }
  }

  private SvcException failure(String message) {
    List<String> last;
    synchronized (lines) {
      last = new ArrayList<>(lines);
    }
    last = last.subList(Math.max(0, last.size() - SHOWN_LINES), last.size());
    String output = last.isEmpty() ? "(no output)" : String.join("\n", last);
    return new SvcException(message + ":\n" + output, 0, "start_failed", message, output, null);
  }

  private static List<String> commandOf(Svc.Options options) {
    if (options.command() != null && !options.command().isEmpty()) return options.command();
    String given = System.getProperty("svc.command", Svc.variable("SVC_COMMAND"));
    if (given != null && !given.isBlank()) return List.of(given.trim().split("\\s+"));
    String ending = IS_WINDOWS ? ".cmd" : "";
    String path = System.getenv("PATH");
    for (String place : (path == null ? "" : path).split(File.pathSeparator)) {
      File file = new File(place, "svc" + ending);
      if (!place.isEmpty() && file.isFile() && file.canExecute()) return List.of(file.getPath());
    }
    return List.of("npx" + ending, "--yes", PUBLISHED_NAME + "@" + Version.CURRENT);
  }

  private static void remove(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException error) {
      // It is in the temporary folder of the system.
    }
  }
}
