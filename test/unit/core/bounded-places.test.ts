/**
 * Every place that expands, repeats, searches or resolves, with what bounds it. A new one fails here until it is listed:
 * say which budget pays for it (`svc.budgets`, docs/hardening.md), or why its result is small.
 */
import t from 'tap'
import { multiplyingCalls } from '../../support/multiplying-calls.ts'

interface Bound {
  /** The calls of the file, as `test/support/multiplying-calls.ts` names them. */
  calls: string[]
  bound: string
}

const LIST = 'the result is as large as a list of the program'
const OPERATOR =
  'the texts are those of the operator or of a plugin definition, and what they search has at most the length of a request target'

/** Paid from a budget. */
const BUDGETS: Record<string, Bound> = {
  'core/toolkit/references.ts': { calls: ['expandText'], bound: 'output: counted before it is inserted' },
  'core/toolkit/request-references.ts': {
    calls: ['Array.from', 'memberAt'],
    bound: '1024 digits, which output counts; references have 201 characters',
  },
  'core/http/response/rule-response.ts': { calls: ['Buffer.alloc', 'expandText', 'expandValue'], bound: 'output' },
  'core/rules/notify.ts': {
    calls: ['expandText', 'expandValue'],
    bound: 'output, 1 MiB for the requests of one hit',
  },
  'plugins/llm/testing/reply.ts': {
    calls: ['Array.from', 'expandText', 'expandValue'],
    bound: 'output; choices have the limit of the model',
  },
  'plugins/llm/testing/reply-vectors.ts': {
    calls: ['Array.from'],
    bound: 'output; dimensions have the limits of the model',
  },
  'plugins/mocks/rules/template.ts': { calls: ['expandText', 'expandValue'], bound: 'output' },
  'plugins/ext-authz/decide.ts': { calls: ['expandText', 'expandTexts', 'expandValue'], bound: 'output' },
  'plugins/ext-proc/rules/rule-plan.ts': { calls: ['expandText', 'expandTexts', 'expandValue'], bound: 'output' },
  'plugins/ext-proc/fault-plan.ts': { calls: ['Buffer.alloc'], bound: 'output; at most 1 MiB' },
  'plugins/rate-limit/decide.ts': { calls: ['expandText', 'expandTexts'], bound: 'output' },
  'core/toolkit/json-patch.ts': {
    calls: ['deepEqual', 'valueAt'],
    bound: 'steps; pointers have at most 2000 characters; copies take output',
  },
  'plugins/ext-mcp/rule-steps.ts': { calls: ['expandText', 'expandTexts', 'expandValue'], bound: 'output' },
  'core/toolkit/header-lines.ts': { calls: ['expandText'], bound: 'output' },
  'plugins/ext-authz/authorizer.ts': { calls: ['Array.from'], bound: 'MAX_FILL headers' },
  'plugins/mocks/exchange/response-builder.ts': {
    calls: ['fillText', 'fillValue', 'mergePatch'],
    bound: 'output; a patch adds at most its own size',
  },
  'plugins/mocks/routes/graph-call.ts': {
    calls: ['fillText', 'fillValue', 'mergePatch', 'valueAt'],
    bound: 'output; steps; a patch adds at most its own size; pointers have at most 2000 characters',
  },
  'plugins/mocks/schema/sample-builder.ts': {
    calls: ['Array.from'],
    bound: 'at most 100 integers; items are taken from the output before they are added',
  },
  'plugins/mocks/schema/generated-text.ts': {
    calls: ['padEnd'],
    bound: 'output: taken before; at most 65,536 characters',
  },
}

/** Searches with patterns and paths, whose steps are counted. */
const SEARCHES: Record<string, Bound> = {
  'plugins/proxy/conversations/fixture-file.ts': { calls: ['deepEqual'], bound: 'recordings of the operator' },
  'plugins/mocks/schema/flat-schema.ts': {
    calls: ['deepEqual'],
    bound: 'steps; values of enums that are compared have a budget',
  },
  'plugins/mocks/api/response-choice.ts': { calls: ['deepEqual'], bound: 'steps' },
  'plugins/mocks/check/schema-changes.ts': { calls: ['deepEqual'], bound: 'the time limit of a check' },
  'plugins/mocks/check/changes.ts': { calls: ['deepEqual'], bound: 'the time limit of a check' },
  'plugins/llm/testing/aimock/translate.ts': {
    calls: ['deepEqual'],
    bound: 'fixtures of the operator, read when the service starts',
  },
  'core/toolkit/checked-schema.ts': { calls: ['linearPattern'], bound: 'steps' },
  'core/toolkit/value-test.ts': { calls: ['new TextSearch', 'deepEqual'], bound: 'steps' },
  'core/toolkit/field-tests.ts': {
    calls: ['valueAt'],
    bound: 'steps of the tests; pointers have the length of a condition',
  },
  'core/toolkit/json-path.ts': {
    calls: ['compileJsonPath', 'deepEqual'],
    bound: 'steps: visits and compared elements',
  },
  'core/match/json-parts.ts': {
    calls: ['compileJsonPath', 'deepEqual', 'valueAt'],
    bound: 'steps; pointers have the length of a condition',
  },
  'core/control/request-filters.ts': {
    calls: ['valueAt'],
    bound: 'a pointer of a query, over captured bodies, which have a limit',
  },
  'plugins/mocks/rules/older-conditions.ts': {
    calls: ['Array.from'],
    bound: 'the size of the rule, of which a thousandth is made',
  },
  'plugins/mocks/schema/schema-set.ts': {
    calls: ['linearPattern'],
    bound: 'steps of a document for compiling, of the request for searching',
  },
  'plugins/mocks/check/warnings.ts': { calls: ['linearPattern'], bound: 'the time limit of a check, in a thread' },
  'plugins/mocks/exchange/runtime-expression.ts': {
    calls: ['valueAt'],
    bound: 'an expression has 4096 characters, and so has its value; a response has ten callbacks',
  },
  'plugins/llm-bedrock/response-fields.ts': {
    calls: ['valueAt'],
    bound: 'ten pointers of 256 characters in a request',
  },
  'plugins/mocks/document/references.ts': {
    calls: ['valueAt'],
    bound: 'cached for each reference; a chain has 32 links',
  },
  'core/toolkit/path-template.ts': { calls: ['new RegExp'], bound: OPERATOR },
  'core/http/routes/familiar-paths.ts': { calls: ['new RegExp'], bound: OPERATOR },
  'core/http/routes/exemptions.ts': { calls: ['new RegExp'], bound: OPERATOR },
  'core/http/routes/route-table.ts': { calls: ['new RegExp'], bound: OPERATOR },
  'plugins/mcp/registry/schema.ts': { calls: ['new RegExp'], bound: OPERATOR },
  'plugins/llm/registry/router-path.ts': { calls: ['new RegExp'], bound: OPERATOR },
  'plugins/llm/engine/rules.ts': { calls: ['expandText'], bound: 'output: required before it is made' },
  'plugins/llm/engine/older-rules.ts': {
    calls: ['Array.from', 'linearPattern', 'new RegExp'],
    bound: 'patterns and lists of the operator in svc.yaml',
  },
  'plugins/mocks/schema/pattern-text.ts': {
    calls: ['new RegExp'],
    bound: 'steps of the generated answer; a named class tests one character',
  },
  'core/http/response/xml.ts': { calls: ['new RegExp'], bound: 'one character class, linear' },
  'core/fields/http-date.ts': { calls: ['new RegExp'], bound: 'built once, of fixed length' },
  'plugins/mcp/configured/declared-tool.ts': {
    calls: ['expandText', 'expandTexts', 'expandValue', 'memberAt'],
    bound: 'output: 256 KiB more than the declared answer',
  },
}

/** A result of a fixed or bounded size. */
const SIZES: Record<string, Bound> = {
  'plugins/demos/command/command.ts': { calls: ['padEnd'], bound: 'the name of a demo, 40 characters' },
  'plugins/import/mockserver/conditions.ts': {
    calls: ['compileJsonPath'],
    bound: 'files of the operator, 16 MiB each',
  },
  'plugins/import/stub/match.ts': { calls: ['deepEqual'], bound: 'files of the operator, 16 MiB each' },
  'plugins/import/wiremock/conditions.ts': { calls: ['compileJsonPath'], bound: 'files of the operator, 16 MiB each' },
  'plugins/import/wiremock/response.ts': { calls: ['Array.from'], bound: 'MAX_CHUNKS' },
  'plugins/demos/file/read-traffic.ts': {
    calls: ['repeat'],
    bound: 'MAX_BODY, 4 MiB, and 64 KiB for requests at the same time',
  },
  'plugins/mocks/graph/shapes.ts': {
    calls: ['valueAt'],
    bound: 'the keys of a type, of at most 1000 characters each, in one representation: members, no search',
  },
  'plugins/demos/file/agent-shape.ts': { calls: ['valueAt'], bound: 'the shapes of agents come with svc' },
  'plugins/demos/run/traffic/agent.ts': { calls: ['Array.from'], bound: 'requests at the start of an agent, 10' },
  'plugins/demos/run/sender.ts': { calls: ['Array.from'], bound: 'the concurrency of a run, 100' },
  'core/cli/terminal.ts': { calls: ['padEnd'], bound: 'the command line' },
  'core/contract/json.ts': {
    calls: ['deepEqual', 'mergePatch'],
    bound: 'a patch adds at most its own size; comparisons take steps',
  },
  'core/toolkit/nearest.ts': { calls: ['Array.from'], bound: 'names that are compared have at most 64 characters' },
  'core/control/rules.ts': { calls: ['mergePatch'], bound: 'the limit of a body' },
  'core/http/tap/tapped-stream.ts': { calls: ['Array.from'], bound: 'the fields of a head, 64 KiB' },
  'core/inspector/response-copy.ts': { calls: ['Buffer.allocUnsafeSlow'], bound: 'SVC_INSPECT_MAX_BODY' },
  'core/metrics/request-metrics.ts': { calls: ['Array.from'], bound: LIST },
  'core/testing/replicas.ts': { calls: ['Array.from'], bound: 'only tests use it' },
  'plugins/a2a/tasks/task-faults.ts': { calls: ['Buffer.alloc'], bound: 'hugeArtifactBytes of the bounds of A2A' },
  'plugins/a2a/agents/travel-planner.ts': { calls: ['Array.from'], bound: 'days of a journey, which the agent bounds' },
  'plugins/a2a/wire/read.ts': { calls: ['padEnd'], bound: 'the size of what was sent' },
  'plugins/guardrails/personal-data.ts': { calls: ['repeat'], bound: 'as long as what it masks' },
  'plugins/httpbin/response/json.ts': { calls: ['repeat'], bound: 'levels of JSON are bounded where it is parsed' },
  'plugins/httpbin/routes/data.ts': { calls: ['Array.from'], bound: 'the maximum of /links' },
  'plugins/identity/faults/jwks-faults.ts': { calls: ['Array.from'], bound: 'a fixed number of keys' },
  'plugins/identity/orders/create-order.ts': { calls: ['repeat'], bound: 'the largest token that can be ordered' },
  'plugins/info/routes/random.ts': { calls: ['Array.from'], bound: 'the maximum of /random/lorem-ipsum' },
  'plugins/llm-cohere/embed.ts': { calls: ['Array.from', 'Buffer.alloc'], bound: 'dimensions of a model' },
  'plugins/llm-gemini/files.ts': { calls: ['Array.from'], bound: 'the number of files of a page' },
  'plugins/llm-openai/models/embeddings.ts': { calls: ['Buffer.allocUnsafe'], bound: 'dimensions of a model' },
  'plugins/llm-openai/images/picture.ts': {
    calls: ['Array.from', 'Buffer.alloc'],
    bound: 'a 64th of the sizes that the model knows',
  },
  'plugins/llm-openai/images/routes.ts': { calls: ['Array.from'], bound: 'the images limit of the instance' },
  'plugins/llm-openai/audio/speech.ts': {
    calls: ['Array.from', 'Buffer.alloc'],
    bound: 'the longest speech of the instance',
  },
  'plugins/llm-openai/chat/tokenize.ts': { calls: ['Array.from'], bound: 'tokens of the request' },
  'plugins/llm/engine/audio.ts': { calls: ['Array.from', 'Buffer.alloc'], bound: 'milliseconds of a piece of sound' },
  'plugins/llm/registry/engine.ts': { calls: ['Buffer.alloc'], bound: 'a fixed number of bytes' },
  'plugins/llm/engine/schema-bounds.ts': { calls: ['padEnd'], bound: '4,096 characters' },
  'plugins/llm/engine/scripted.ts': { calls: ['Array.from'], bound: 'the largest number of words of the instance' },
  'plugins/llm/engine/sized-text.ts': {
    calls: ['repeat'],
    bound: 'X-Svc-Reply-Size; output: required before it is made',
  },
  'plugins/llm/shapes/shape-events.ts': { calls: ['repeat'], bound: 'the item huge; output: taken before it is made' },
  'plugins/llm/inference/engine-metrics.ts': { calls: ['valueAt'], bound: 'a gauge at a time: no search' },
  'plugins/llm/profiles/routes.ts': { calls: ['Array.from'], bound: 'a fixed maximum of draws' },
  'plugins/llm/state/batches.ts': { calls: ['Array.from'], bound: 'the items of a batch' },
  'core/toolkit/aws-event-frame.ts': { calls: ['Buffer.alloc'], bound: 'the size of the event' },
  'plugins/drop-in/request/testupstream-responses.ts': {
    calls: ['repeat'],
    bound: 'x-fake-response: 5 MB, public 64 KiB',
  },
  'plugins/drop-in/flavours/whoami.ts': { calls: ['Buffer.alloc'], bound: '/data: 10 MiB, public 64 KiB' },
  'plugins/mcp/conformance/contents.ts': { calls: ['Buffer.alloc'], bound: 'built once' },
  'plugins/mcp/demo/png.ts': { calls: ['Buffer.alloc'], bound: 'built once' },
  'plugins/mcp/demo/tools/behavior.ts': { calls: ['repeat'], bound: 'largeOutputKb of the bounds of MCP' },
  'plugins/mcp-hostile/servers/session.ts': { calls: ['repeat'], bound: 'a fixed number of characters' },
  'plugins/mocks/routes/settings.ts': { calls: ['mergePatch'], bound: 'the limit of a body' },
  'plugins/proxy/recordings/folder.ts': { calls: ['Buffer.alloc'], bound: 'HEAD_BYTES' },
}

/** Routes whose purpose is size: they have limits of their sheets, and stream. */
const PURPOSE: Record<string, Bound> = {
  'core/inspector/connection-log.ts': { calls: ['Buffer.alloc'], bound: '16 KiB of a connection, 16 MiB of all' },
  'plugins/layer4/datagrams.ts': { calls: ['Buffer.alloc'], bound: 'a datagram has at most 65,507 bytes' },
  'plugins/layer4/writer.ts': { calls: ['Array.from'], bound: 'made once: about 16 KiB' },
  'plugins/caching/routes/range.ts': { calls: ['Buffer.alloc'], bound: 'one shared buffer of the maximum' },
  'core/fields/incremental.ts': { calls: ['new RegExp'], bound: 'a constant pattern without nested repetition' },
  'plugins/grpc-services/forward/forward-echo.ts': { calls: ['Array.from'], bound: 'AT_ONCE requests' },
  'plugins/grpc-services/services/test-service.ts': {
    calls: ['Buffer.alloc'],
    bound: 'the requested size, at most 4 MiB; a unary reply is output, others are paced by the client',
  },
  'plugins/httpbin/routes/ranges.ts': { calls: ['Buffer.allocUnsafe'], bound: 'the maximum of /range' },
  'plugins/httpbin/routes/timed.ts': { calls: ['Buffer.alloc'], bound: 'a piece of /drip, paced by the client' },
  'plugins/mcp-hostile/servers/huge.ts': {
    calls: ['Array.from', 'repeat'],
    bound: '8 MiB a page; its purpose is size',
  },
  'plugins/transfer/drip-schedule.ts': { calls: ['Array.from'], bound: '200 drops' },
  'plugins/transfer/random-bytes.ts': { calls: ['Buffer.alloc'], bound: 'the maximum of /bytes' },
  'plugins/transfer/routes/drip.ts': { calls: ['repeat'], bound: 'the maximum of /drip, in 200 drops' },
}

/** The gateway probe is a client: its checks send what they are made to send, and its reports list what it found. */
const PROBE = /^plugins\/probe\//

const LISTED: Record<string, Bound> = { ...BUDGETS, ...SEARCHES, ...SIZES, ...PURPOSE }

t.test('every place that multiplies is listed with what bounds it [SEC-21]', async t => {
  const found = new Map([...multiplyingCalls()].filter(([file]) => !PROBE.test(file)))
  const textOf = (calls: Iterable<string>): string => [...calls].sort().join(', ') || 'none'
  const differs = [...new Set([...found.keys(), ...Object.keys(LISTED)])]
    .map(file => ({ file, actual: textOf(found.get(file) ?? []), listed: textOf(LISTED[file]?.calls ?? []) }))
    .filter(({ actual, listed }) => actual !== listed)
    .map(({ file, actual, listed }) => `${file}: found ${actual}, listed ${listed}`)
  t.same(differs, [])
  for (const [file, { bound }] of Object.entries(LISTED)) t.ok(bound !== '', file)
})
