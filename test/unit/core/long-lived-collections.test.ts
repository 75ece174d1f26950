/** Maps and sets that are members of objects, and what bounds each of them. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, sourceFiles } from '../../support/sources.ts'

/** By what bounds the collection: files, with the members that differ from the others of their file. */
const BOUNDS: Record<string, string[]> = {
  // What plugins, files and the configuration define.
  defined: [
    'core/control/control-tools.ts',
    'core/host/inventory.ts',
    'core/host/settings.ts',
    'core/host/watcher.ts',
    'core/control/openapi-schemas.ts',
    'core/http/ports/open-ports.ts',
    'core/http/ports/stream-port.ts',
    'core/http/routes/exemptions.ts',
    'core/http/routes/familiar-paths.ts',
    'core/http/routes/route-table.ts',
    'core/match/protocols.ts',
    // Files that the rules of one generation name: 64 MiB in all.
    'core/rules/body-files.ts',
    'core/rules/reset-registry.ts',
    'core/rules/verification-registry.ts',
    'core/rules/step-registry.ts',
    'core/rules/rule-entry.ts',
    'core/rules/rule-files.ts',
    'core/state/change-feed.ts',
    'core/state/memory-deployment.ts',
    'core/state/memory-state.ts',
    'core/state/memory-store.ts #removed',
    'core/state/register.ts',
    'core/state/replicas.ts #handlers',
    'backends/redis/shared-register.ts',
    'backends/redis/shared-state.ts',
    'backends/redis/shared-store.ts',
    'core/state/state-registry.ts',
    'plugins/a2a/agent-registry.ts',
    // Lanes of a demo, and rules of its file.
    'plugins/demos/run/resources.ts',
    // Files of one import: 64 MiB, and 2,000 rules.
    'plugins/import/command/body-files.ts',
    'plugins/import/command/report.ts',
    'plugins/import/postman/kind.ts',
    'plugins/llm/testing/simulator/provider.ts',
    'plugins/import/source/members.ts',
    'plugins/import/stub/upstreams.ts',
    'plugins/graphql/socket-steps.ts',
    'plugins/gateway-services/services.ts',
    'plugins/grpc/service-registry.ts',
    'plugins/guardrails/term-automaton.ts',
    'plugins/llm/headers/faults.ts',
    'plugins/llm/profiles/profiles.ts',
    'plugins/llm/registry/provider-registry.ts',
    'plugins/llm/tokenizers/tokenizers.ts',
    // Rules of routes; those that a route reports without listing them, which its code names.
    'plugins/llm/validation/validator.ts',
    // Domains of svc.yaml and its files.
    'plugins/rate-limit/config/domains.ts',
    // The places of one request or rule: at most 20.
    'plugins/graphql/faults/field-faults.ts',
    // Parts of the messages of one stream: a few names.
    'plugins/ext-proc/stream.ts #leftOut',
    // The parts of one operation, whose document has a limit.
    'plugins/graphql/wire/multipart/incremental.ts',
    'plugins/mcp/bridge/bridge.ts tools',
    'plugins/mcp/bridge/bridged-lists.ts',
    'plugins/mcp/bridge/pool.ts',
    'plugins/mcp/bridge/processes.ts',
    'plugins/mcp/registry/lists.ts',
    'plugins/mcp/registry/registry.ts',
    // Documents of mocks are bounded in number and memory.
    'plugins/mocks/document/references.ts',
    'plugins/mocks/graph/shapes.ts',
    'plugins/mocks/api/compiled-api.ts',
    'plugins/mocks/api/route-table.ts',
    'plugins/mocks/management/registry.ts',
    'plugins/mocks/rules/override.ts',
    'plugins/mocks/schema/schema-set.ts',
    'plugins/proxy/recordings/folder.ts',
  ],
  // Connections, streams and calls that are open: entries go when these end.
  open: [
    'core/http/listener/listeners.ts',
    'core/http/ports/http-handler.ts',
    'core/http/ports/tcp-handler.ts',
    'core/inspector/connection-log.ts #listeners',
    'core/http/streams/large-messages.ts',
    'core/http/streams/stream-registry.ts',
    'core/limits/unsent-memory.ts',
    'core/http/streams/websocket-memory.ts',
    'core/contract/record-store.ts #stops',
    'core/http/tap/tap.ts',
    'core/inspector/feed.ts',
    'core/inspector/waits.ts',
    'core/limits/shared-quota.ts',
    'core/state/memory-event-log.ts followers',
    'core/state/replicas.ts #turns',
    'backends/redis/log-batch.ts',
    'backends/redis/membership.ts',
    'backends/redis/pending-updates.ts',
    'backends/redis/replica-messages.ts',
    'backends/redis/shared-event-log.ts',
    'backends/redis/store-connection.ts',
    'plugins/a2a/tasks/local-runs.ts',
    'plugins/grpc-services/forward/http.ts',
    'plugins/demos/http/server-run.ts #listeners',
    'plugins/graphql/wire/graphql-sse/reservations.ts',
    'plugins/grpc/bridge/connections.ts',
    'plugins/grpc/bridge/open-calls.ts',
    'plugins/llm-openai-realtime/connection.ts',
    'plugins/llm-openai/responses/socket.ts',
    'plugins/llm/capacity/slots.ts',
    'plugins/llm/streaming/socket-bounds.ts',
    'plugins/llm/streaming/token-clock.ts',
    'plugins/mcp/bridge/bridge.ts',
    'plugins/mcp/bridge/connection.ts',
    'plugins/mcp/bridge/remote-link.ts #open',
    'plugins/mcp/sessions/hub.ts',
    'plugins/mcp/sessions/pending-questions.ts',
    'plugins/mcp/sessions/session.ts',
    'plugins/mcp/sessions/sessions.ts',
    'plugins/mcp/tasks/running-task.ts',
    'plugins/mcp/tasks/tasks.ts',
    'plugins/probe/runs/server-run.ts',
  ],
  // A number in the file, or that of the store that the entries mirror.
  number: [
    'plugins/proxy/taps.ts',
    'core/collections/bounded-map.ts',
    'core/http/ports/udp-port.ts',
    'core/inspector/connection-log.ts',
    'core/inspector/connections.ts #unsent',
    'core/toolkit/linear-pattern.ts',
    'core/toolkit/redaction.ts',
    'core/http/node-internals/header-line-cache.ts',
    'core/keys/key-usage.ts',
    'core/limits/session-counters.ts',
    'core/metrics/by-labels.ts',
    'core/metrics/request-metrics.ts',
    'core/rules/rule-book.ts',
    'core/state/memory-event-log.ts',
    'core/state/memory-store.ts',
    'backends/redis/immutable-cache.ts',
    'plugins/a2a/push/delivery.ts',
    'plugins/a2a/tasks/unstored-runs.ts',
    'plugins/llm/inference/engine-metrics.ts',
    'plugins/llm/usage/ledger.ts',
    'plugins/mcp/bridge/remote-link.ts #followed',
    'plugins/mocks/response/rendering.ts',
    'plugins/mocks/schema/pattern-text.ts #kept',
    'plugins/probe/upstream/sessions.ts',
  ],
  // The object lives for one request, one command or one build.
  brief: [
    'plugins/telemetry/reconcile/groups.ts',
    'plugins/telemetry/records/intake.ts',
    'core/cli/hidden-findings.ts',
    // Readers of one reply of at most 8 MiB.
    'plugins/probe/wires/chat/read-stream.ts',
    'plugins/probe/wires/converse/read-stream.ts',
    'plugins/probe/wires/gemini/read-reply.ts',
    'plugins/probe/wires/messages/read-stream.ts',
    'plugins/probe/wires/responses/read-stream.ts',
    'core/inspector/subjects.ts',
    'plugins/llm-openai/batches/input.ts',
    'plugins/llm/engine/embedding.ts',
    'plugins/mocks/schema/pattern-text.ts #candidates',
    'plugins/mocks/schema/sample-builder.ts',
    'plugins/mocks/sources/bundle.ts',
  ],
}

t.test('each map or set that is a member is bounded by what this test lists [HARD-14]', async t => {
  const listed = new Set(Object.values(BOUNDS).flat())
  const used = new Set<string>()
  const unlisted: string[] = []
  for (const file of sourceFiles()) {
    if (!/^(?:backends|core|plugins)\//.test(file) || file.includes('/client/')) continue
    const source = readFileSync(join(root, file), 'utf8')
    // The indentation is that of members of classes.
    for (const [, name] of source.matchAll(/^ {2}(?:readonly )?(#?\w+)(?:: [^=\n]+)? = new (?:Map|Set)\b/gm)) {
      const entry = [`${file} ${name}`, file].find(one => listed.has(one))
      if (entry === undefined) unlisted.push(`${file} ${name}`)
      else used.add(entry)
    }
  }
  t.strictSame(unlisted, [], 'say what bounds it, or use BoundedMap')
  t.strictSame(
    [...listed].filter(entry => !used.has(entry)),
    [],
    'nothing is listed that is gone',
  )
})
