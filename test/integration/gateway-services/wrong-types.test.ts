/** Every service that reads JSON, with each member of a valid request replaced by values of other types. [GWS-1] */
import t from 'tap'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

type Value = unknown
type Path = readonly (string | number)[]

const text = { role: 'user', content: [{ type: 'text', text: 'Mail joe@example.org' }] }
const idOf = (digits: number): string => 'a1'.repeat(digits / 2)

const REQUESTS: Readonly<Record<string, Value>> = {
  '/guardrails/agentgateway/request': { body: { messages: [text] } },
  '/guardrails/agentgateway/response': { body: { choices: [{ message: text }] } },
  '/guardrails/litellm/beta/litellm_basic_guardrail_api': {
    input_type: 'request',
    texts: ['joe@example.org'],
    structured_messages: [text],
    tool_calls: [{ function: { arguments: '{}' } }],
    additional_provider_specific_params: { pii: 'block' },
  },
  '/guardrails/lakera/v2/guard': { messages: [text], breakdown: true, payload: true, dev_info: true },
  '/guardrails/presidio/analyze': {
    text: 'joe@example.org',
    language: 'en',
    entities: ['EMAIL_ADDRESS'],
    score_threshold: 0.5,
    allow_list: ['x'],
  },
  '/guardrails/presidio/anonymize': {
    text: 'joe@example.org',
    analyzer_results: [{ start: 0, end: 3, entity_type: 'EMAIL_ADDRESS', score: 1 }],
    anonymizers: { DEFAULT: { type: 'mask', masking_char: '*', chars_to_mask: 3, from_end: true } },
  },
  '/guardrails/comprehend': { Text: 'x', LanguageCode: 'en', TextSegments: [{ Text: 'x' }] },
  '/guardrails/f5/backend/v1/scans': { input: 'x', scanDirection: 'request' },
  '/guardrails/modelarmor/v1/projects/p/locations/l/templates/t:sanitizeUserPrompt': {
    userPromptData: { byteItem: { byteData: 'eA==' } },
  },
  '/guardrails/portkey': {
    request: { json: { messages: [text] }, text: 'x' },
    response: { json: {} },
    eventType: 'beforeRequestHook',
  },
  '/rate-limit/json': {
    domain: 'd',
    descriptors: [
      {
        entries: [{ key: 'svc_limit', value: '2/10s' }],
        limit: { requestsPerUnit: 1, unit: 'SECOND' },
        hitsAddend: '1',
      },
    ],
    hitsAddend: 1,
  },
  '/opa/v1/data/svc/allow': {
    input: { attributes: { request: { http: { method: 'GET', path: '/a', headers: { a: 'b' } } } } },
  },
  '/opa/v0/data/svc/authz': { method: 'GET', path: ['a'], headers: { a: ['b'] }, policy: 'header' },
  '/otlp/v1/traces': {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'a', value: { stringValue: 'b' } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: idOf(32),
                spanId: idOf(16),
                name: 'n',
                kind: 2,
                startTimeUnixNano: '1',
                endTimeUnixNano: '2',
                status: { code: 1 },
              },
            ],
          },
        ],
      },
    ],
  },
  '/otlp/v1/logs': {
    resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '1', body: { kvlistValue: { values: [] } } }] }] }],
  },
  '/otlp/v1/metrics': {
    resourceMetrics: [
      { scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints: [{ asInt: '1', timeUnixNano: '1' }] } }] }] },
    ],
  },
  '/zipkin/api/v2/spans': [
    { traceId: idOf(16), id: idOf(16), timestamp: 1, duration: 2, kind: 'SERVER', tags: { a: 'b' } },
  ],
  '/v0.4/traces': [
    [{ trace_id: 1, span_id: 2, name: 'n', start: 1, duration: 1, meta: { a: 'b' }, metrics: { m: 1 } }],
  ],
  '/logs': [{ method: 'GET', status: 200, request: { method: 'GET', headers: {} }, latencies: { request: 1 } }],
  '/_svc/verify': { telemetry: { reconciled: { result: 'same', tokens: 'same' } }, exactly: 1, within_ms: 1 },
}
const VALUES: readonly Value[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  '',
  '\0',
  [],
  {},
  [[{}]],
  ['x', 1, null],
  { a: {} },
  JSON.parse('{"__proto__":{"a":1}}'),
  'A'.repeat(20_000),
]
/** Presidio answers so when text or language is missing or not known, and svc as it does. */
const AS_PRESIDIO = /^\{"error":"No (?:text|language|matching recognizers)/
const AT_ONCE = 20

function* placesIn(value: Value, at: Path = []): Generator<Path> {
  yield at
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value))
    yield* placesIn(member, [...at, Array.isArray(value) ? Number(key) : key])
}

function withValue(given: Value, place: Path, value: Value): Value {
  const [key, ...rest] = place
  if (key === undefined) return value
  const copy = structuredClone(given) as Record<string | number, Value>
  copy[key] = withValue(copy[key], rest, value)
  return copy
}

t.test('a value of another type is an error of the protocol, or ignored', async t => {
  const server = await serve(t)
  const requests = Object.entries(REQUESTS).flatMap(([path, given]) =>
    [...placesIn(given)].flatMap(place =>
      VALUES.map(value => ({ path, body: JSON.stringify(withValue(given, place, value)) })),
    ),
  )
  const failed: string[] = []
  const headers = { 'content-type': 'application/json', 'x-amz-target': 'Comprehend_20171127.DetectToxicContent' }
  const worker = async (): Promise<void> => {
    for (let one = requests.pop(); one !== undefined; one = requests.pop()) {
      const { path, body } = one
      const response = await fetch(server.url + path, { method: 'POST', headers, body })
      const answer = await response.text()
      if (response.status >= 500 && !AS_PRESIDIO.test(answer))
        failed.push(`${response.status} ${path} ${body.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  t.strictSame(failed, [])
  t.equal((await send(server, '/_svc/status')).status, 200)
})
