package io.svc.testing;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A running svc. Its methods concern the whole instance; {@link #session()} opens a part of it for one test. */
public final class Svc extends Scope implements AutoCloseable {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String url;
  private final String token;
  private final SvcProcess process;

  private Svc(String url, String token, SvcProcess process) {
    super(new Connection(url, token), Map.of("scope", "instance"));
    this.url = url;
    this.token = token;
    this.process = process;
  }

  /**
   * How svc is started.
   *
   * @param command the program with its arguments; null: the variable {@code SVC_COMMAND}, split at spaces, else {@code svc} in the
   *     path, else {@code npx} with the package of this version
   * @param config the text of {@code svc.yaml}, or a map; null: no configuration
   * @param env variables; those of the environment that begin with {@code SVC_} are not passed on
   * @param timeout how long svc may take until it is ready
   */
  public record Options(List<String> command, Object config, Map<String, String> env, Duration timeout) {
    /** The defaults. */
    public Options() {
      this(null, null, Map.of(), Duration.ofSeconds(30));
    }

    /** With another command. */
    public Options withCommand(String... words) {
      return new Options(List.of(words), config, env, timeout);
    }

    /** With a configuration: text, or a map. */
    public Options withConfig(Object content) {
      return new Options(command, content, env, timeout);
    }

    /** With variables. */
    public Options withEnv(Map<String, String> variables) {
      return new Options(command, config, variables, timeout);
    }

    /** With another timeout. */
    public Options withTimeout(Duration limit) {
      return new Options(command, config, env, limit);
    }
  }

  /** Starts svc with the defaults, see {@link #start(Options)}. */
  public static Svc start() {
    return start(new Options());
  }

  /**
   * Starts svc on free ports of 127.0.0.1, in an empty folder, and waits until it is ready.
   *
   * @throws SvcException with the end of the output if svc ends or is not ready in time
   */
  public static Svc start(Options options) {
    SvcProcess process = SvcProcess.start(options);
    return new Svc(process.address("HTTP", "http://127.0.0.1:"), options.env().get("SVC_ADMIN_TOKEN"), process);
  }

  /** Uses the running instance of {@code SVC_URL}, see {@link #connect(String, String)}. */
  public static Svc connect() {
    return connect(null, null);
  }

  /** Uses a running instance, see {@link #connect(String, String)}. */
  public static Svc connect(String url) {
    return connect(url, null);
  }

  /**
   * Uses a running instance: without a URL that of {@code SVC_URL}, without a token that of {@code SVC_ADMIN_TOKEN}. Makes no
   * request.
   *
   * @throws SvcException if there is no URL
   */
  public static Svc connect(String url, String token) {
    String address = url == null ? variable("SVC_URL") : url;
    if (address == null) throw new SvcException("no URL: give one, or set SVC_URL", 0, "no_url", "", null, null);
    String base = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    return new Svc(base, token == null ? variable("SVC_ADMIN_TOKEN") : token, null);
  }

  /** The base URL, without a slash at its end. */
  public String url() {
    return url;
  }

  /** Base URL over TLS of a started process, else the variable {@code SVC_HTTPS_URL}; may be null. */
  public String httpsUrl() {
    return process == null ? variable("SVC_HTTPS_URL") : process.address("HTTPS", "https://localhost:");
  }

  /** Host and port for gRPC without TLS of a started process, else the variable {@code SVC_GRPC_ADDRESS}; may be null. */
  public String grpcAddress() {
    return process == null ? variable("SVC_GRPC_ADDRESS") : process.address("gRPC", "127.0.0.1:");
  }

  /** What a started process has printed. */
  public String log() {
    return process == null ? "" : process.log();
  }

  /** Opens a new session. Makes no request. */
  public SvcSession session() {
    StringBuilder name = new StringBuilder("t-");
    for (int i = 0; i < 12; i++) name.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
    return session(name.toString());
  }

  /** Opens the session of this name. Makes no request. */
  public SvcSession session(String name) {
    return new SvcSession(url, token, name);
  }

  /** Stops a started process and removes its folder. Can be called several times. */
  @Override
  public void close() {
    if (process != null) process.stop();
  }

  /** A variable of the environment, null if it is empty. */
  static String variable(String name) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
