/**
 * JSON Schema of a demo for editors: `$defs/demo` of svc.schema.json, in which its references are resolved. `readDemo` decides;
 * a test compares the two.
 */
import type { JsonSchema } from 'svc/plugin'
import { BOUNDS, MAX_STEPS } from './bounds.ts'
import { AGENT_CLIENTS, AREAS, CERTIFICATES, LLM_FORMATS } from './demo.ts'

/** A text that is one reference keeps the type of what it names. */
const REFERENCE: JsonSchema = { type: 'string', pattern: '\\{\\{' }
const text: JsonSchema = { type: 'string' }
const flag: JsonSchema = { type: 'boolean' }
const path: JsonSchema = { type: 'string', pattern: '^[/{]' }
const texts: JsonSchema = { type: 'array', items: text }
const scalar: JsonSchema = { type: ['string', 'number', 'boolean'] }
const named: JsonSchema = { type: 'object', additionalProperties: scalar }
const record: JsonSchema = { type: 'object' }
const headers: JsonSchema = { ...named, description: 'Header fields' }
/** A value, or tests of it such as `{gte: 1}`. */
const test: JsonSchema = {}

const number = (minimum: number, maximum?: number, type = 'number'): JsonSchema => ({
  anyOf: [{ type, minimum, ...(maximum === undefined ? {} : { maximum }) }, REFERENCE],
})
const integer = (minimum: number, maximum?: number): JsonSchema => number(minimum, maximum, 'integer')
const oneOf = (words: readonly string[]): JsonSchema => ({ anyOf: [{ enum: [...words] }, REFERENCE] })
const described = (description: string, schema: JsonSchema): JsonSchema => ({ ...schema, description })
const object = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length === 0 ? {} : { required: [...required] }),
})
const listOf = (items: JsonSchema, maxItems: number): JsonSchema => ({ type: 'array', items, maxItems })

const counts = { exactly: integer(0), at_least: integer(0), at_most: integer(0) }
const selection = {
  of: described('Number of the traffic in the list', integer(1, 20)),
  variant: described('Number of the variant in "as"', integer(1, 20)),
  from_s: number(0, 120),
  to_s: number(0, 120),
}
const share = (further: Record<string, JsonSchema> = {}): JsonSchema =>
  object({ ...further, at_least: number(0, 1), at_most: number(0, 1) })
const withHeaderTests = (schema: JsonSchema): JsonSchema => ({ ...schema, patternProperties: { '^header\\.': test } })

const EXPECTATION = object({
  why: text,
  soft: described('Shown, not judged', { anyOf: [flag, REFERENCE] }),
  when: described('Left out unless variables have these values', record),
  responses: withHeaderTests(
    object({
      status: test,
      json: described('Tests by JSON pointer', record),
      body: test,
      ms: test,
      error: described('timeout, reset, refused or none', test),
      text: test,
      logins: described('Forms that were filled', test),
      finish: test,
      tool_calls: test,
      grpc_status: described('The number of a gRPC status', test),
      grpc_message: test,
      every: flag,
      some: flag,
      none: flag,
      ...counts,
      share: share(),
      ...selection,
    }),
  ),
  arrivals: withHeaderTests(
    object({
      match: described('As in POST /_svc/verify', record),
      order: { type: 'array' },
      strict: flag,
      ...counts,
      none: flag,
      within_ms: integer(0, 30_000),
      settle_ms: integer(0, 10_000),
      lane: text,
      from_s: number(0, 120),
      to_s: number(0, 120),
      share: share({ lane: text }),
      per: described('client, credential or header.<name>: the count holds for each', text),
      gap_ms: described('Time between arrivals', test),
      body: test,
      json: test,
      absent: described('Names of headers and texts that no arrival may have', texts),
      unchanged: described('Headers, or body, that arrive as they were sent', texts),
    }),
  ),
  events: object({ count: test, first_ms: test, lag_ms: test, order: flag, text: test, ...selection }),
  cost: object({
    counted: test,
    upstream: test,
    equal: flag,
    header: described('Of the answers: what a gateway says that they cost', text),
  }),
  agent: object({
    completed: flag,
    turns: test,
    error: test,
    lost: described('Texts, of which each that was lost has one', texts),
    ...selection,
  }),
  tokens: object({ counted: test, upstream: test, equal: flag }),
  compare: object({
    direct: flag,
    same: texts,
    differ: texts,
    added_ms: object({ p50: test, p99: test }),
    rounds: integer(1, 500),
  }),
  capture: {
    type: 'object',
    additionalProperties: text,
    description: 'json:/pointer, header:name, sse:3:data or body',
  },
  services: record,
  telemetry: record,
})

const ACTION: JsonSchema = {
  anyOf: [
    { enum: ['list_tools', 'list_prompts', 'list_resources', 'ping'] },
    object({ call: text, prompt: text, arguments: record }),
  ],
}

const TLS = {
  certificate: described('Client certificate of svc', oneOf(CERTIFICATES)),
  server_name: described('Name for SNI and the certificate of the gateway', text),
}

const login = {
  issuer: described('Name of an issuer of svc', text),
  user: described('A user whose password is their name', text),
}

const TRAFFIC = object({
  times: integer(1, BOUNDS.requests),
  per_second: described('A slow answer does not slow the next request', number(0.01, BOUNDS.perSecond)),
  for_s: number(0.1, 120),
  concurrency: integer(1, BOUNDS.concurrency),
  as: described(
    'Variants, sent in turn or by their share',
    listOf(object({ share: number(0, 1), headers, bearer: text, path }), 20),
  ),
  timeout_ms: integer(1, 120_000),
  disconnect_after_ms: described('The client leaves', integer(0, 120_000)),
  acknowledge: described('The scenario whose state becomes the number of events that came', text),
  method: text,
  path,
  query: named,
  headers,
  json: {},
  body: text,
  body_bytes: described('A body of this many bytes', integer(0, 4 * 1024 * 1024)),
  form: named,
  bearer: text,
  basic: text,
  http2: flag,
  follow: flag,
  cookies: flag,
  read: oneOf(['all', 'events', 'none']),
  ...TLS,
  llm: object({
    format: oneOf(LLM_FORMATS),
    model: text,
    prompt: text,
    system: text,
    messages: listOf(object({ role: oneOf(['user', 'assistant']), content: text }, ['role', 'content']), 100),
    stream: { anyOf: [flag, REFERENCE] },
    tools: listOf(record, 128),
    max_tokens: integer(1),
  }),
  mcp: object(
    {
      path,
      do: { ...listOf(ACTION, 50), minItems: 1 },
      revision: text,
      token: text,
      elicit: described('The result with which questions of the server are answered', record),
    },
    ['do'],
  ),
  a2a: object({ agent: text, text, stream: flag, card: text }),
  graphql: object({ query: text, variables: record, operation: text }, ['query']),
  jsonrpc: object({ method: text, params: {}, id: {} }, ['method']),
  agent: object(
    {
      client: oneOf(AGENT_CLIENTS),
      scenario: text,
      turns: described('Requests to the model, at most', integer(1, 50)),
    },
    ['client'],
  ),
  login: object({ ...login, path, injected: described('The answer of the issuer comes to another browser', flag) }, [
    'user',
    'path',
  ]),
  grpc: object(
    {
      service: text,
      method: text,
      message: described('A list for a stream of the client', { anyOf: [record, listOf(record, 100)] }),
      metadata: headers,
      deadline_ms: integer(1, 120_000),
      web: described('gRPC-Web, as browsers send it', flag),
    },
    ['service', 'method'],
  ),
  websocket: object({ path, messages: texts, for_ms: integer(1, 120_000) }, ['path']),
})

/** A rule of the upstream; `lane` stores it for that lane. */
const RULES = listOf({ type: 'object', required: ['then'], properties: { name: text, lane: text, match: record } }, 50)
const REMOVE = described('Names of rules', texts)

const STEP = object(
  {
    id: text,
    title: text,
    say: described('Markdown', text),
    look: described('Where to look in the console', text),
    rules: described('Put before sending', RULES),
    remove: REMOVE,
    identity: object({ issuer: record, rotate: text, faults: record }),
    send: { anyOf: [TRAFFIC, listOf(TRAFFIC, 20)] },
    during: listOf(object({ at_ms: integer(0, BOUNDS.stepMs), rules: RULES, remove: REMOVE }, ['at_ms']), 50),
    ask: { anyOf: [text, object({ text, optional: flag }, ['text'])] },
    wait: object({ for_s: number(0, 60), until: EXPECTATION, timeout_ms: integer(1, 60_000) }),
    expect: listOf(EXPECTATION, 50),
    chart: oneOf(['rate', 'status', 'latency', 'lanes', 'tokens']),
  },
  ['title'],
)

export const DEMO_SCHEMA: JsonSchema = {
  title: 'A guided demo',
  description: 'What a gateway does: traffic, what the upstream does meanwhile, what must be seen. See docs/demos.md.',
  ...object(
    {
      demo: { type: 'string', pattern: '^[a-z0-9-]{1,40}$', not: { enum: ['runs', 'check'] } },
      title: text,
      area: { enum: [...AREAS] },
      shows: text,
      minutes: { type: 'number', minimum: 0.5, maximum: 60 },
      feature: text,
      route: object(
        {
          path,
          headers,
          bearer: text,
          ...TLS,
          login: object(login, ['user']),
          do: described('What is asked of an MCP server, in place of ping', ACTION),
        },
        ['path'],
      ),
      steps: { ...listOf(STEP, MAX_STEPS), minItems: 1 },
      control: described('What the run without a gateway gives', { enum: ['seen', 'not-seen'] }),
      gateways: {
        type: 'object',
        additionalProperties: object({ snippet: text, compose: text, note: text }),
      },
      files: described('Files that configurations name, and their paths at svc', {
        type: 'object',
        additionalProperties: path,
      }),
      needs: described('Plugins', texts),
      settings: described('Variables of svc that must have these values', named),
      lanes: listOf({ type: 'string', pattern: '^[a-z0-9-]{1,20}$' }, 10),
      mocks: described('OpenAPI documents by name', { type: 'object', additionalProperties: record }),
      tokens: described('Orders of tokens by name', { type: 'object', additionalProperties: record }),
      variables: {
        type: 'object',
        propertyNames: { pattern: '^[a-z_][a-z0-9_]{0,39}$' },
        additionalProperties: scalar,
      },
      presenter: described('What to prepare at the gateway, Markdown', text),
      learn: described('Pages of the documentation', texts),
    },
    ['demo', 'title', 'area', 'shows', 'route', 'steps'],
  ),
}
