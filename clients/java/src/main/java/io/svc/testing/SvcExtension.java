package io.svc.testing;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The JUnit 5 extension: parameters of the type {@link Svc} are one svc for the whole run, those of the type {@link SvcSession}
 * a new session for each test, which is reset after it. The svc is that of the system property {@code svc.url} or of the variable
 * {@code SVC_URL}, otherwise one that is started. A failed test reports its last 20 requests.
 */
public final class SvcExtension implements ParameterResolver, AfterEachCallback {
  private static final Namespace NAMESPACE = Namespace.create(SvcExtension.class);
  private static final int SHOWN_REQUESTS = 20;

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Svc.class || (type == SvcSession.class && context.getTestMethod().isPresent());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Svc svc = context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(Running.class, key -> new Running(), Running.class).svc;
    if (parameter.getParameter().getType() == Svc.class) return svc;
    return context.getStore(NAMESPACE).getOrComputeIfAbsent(SvcSession.class, key -> svc.session(), SvcSession.class);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    SvcSession session = context.getStore(NAMESPACE).get(SvcSession.class, SvcSession.class);
    if (session == null) return;
    if (context.getExecutionException().isPresent()) context.publishReportEntry("svc requests", shown(session));
    session.close();
  }

  private static String shown(SvcSession session) {
    try {
      List<Map<String, Object>> requests = session.requests(Map.of("limit", SHOWN_REQUESTS));
      return requests.isEmpty() ? "no request came" : Scope.linesOf(requests);
    } catch (SvcException error) {
      return error.getMessage();
    }
  }

  /** The svc of the run; JUnit closes it at the end. */
  @SuppressWarnings("deprecation")
  private static final class Running implements Store.CloseableResource, AutoCloseable {
    private final Svc svc;

    Running() {
      String url = System.getProperty("svc.url", Svc.variable("SVC_URL"));
      svc = url == null || url.isBlank() ? Svc.start() : Svc.connect(url);
    }

    @Override
    public void close() {
      svc.close();
    }
  }
}
