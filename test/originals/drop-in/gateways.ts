/** Requests to the test upstreams of gateways, for comparison with svc: Kong, Envoy AI Gateway, agentgateway. */
import { gunzipSync } from 'node:zlib'
import type { Reply } from '../../support/request.ts'
import { type Answer, type Case, comparedFields } from './cases.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

const get = (path: string, headers: Record<string, string> = {}): Case => ({ path, headers })
const post = (path: string, body: string, type?: string, headers: Record<string, string> = {}): Case => ({
  method: 'POST',
  path,
  body,
  headers: { ...(type === undefined ? {} : { 'Content-Type': type }), ...headers },
})
const basic = (credentials: string): string => `Basic ${base64(credentials)}`
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const BOUNDARY = 'multipart/form-data; boundary=xyz'
const PARTS = '--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--xyz--\r\n'

export const KONG_MOCK: readonly Case[] = [
  get('/'),
  get('/unknown?a=1'),
  post('/unknown', 'a=1', FORM),
  ...['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].flatMap(method =>
    ['/get', '/post', '/anything', '/request/x'].map(path => ({ method, path })),
  ),
  { method: 'HEAD', path: '/get' },
  { method: 'HEAD', path: '/anything' },
  get('/getaway?b'),
  get('/anything/%41/b%2Fc//d/../e?x=%20y+z&x=2&f&g=&=h'),
  get('/anything?a=%zz&b=%C3%A9'),
  get('/request', { 'X-A': '1', 'x-b': 'two words', 'User-Agent': 'test' }),
  post('/post', '{"a":[1,{"b":null}]}', JSON_TYPE),
  post('/post', '{"a":', JSON_TYPE),
  post('/post', 'a=1&a=2&b&c=%26', FORM),
  post('/post', '', FORM),
  post('/post', 'text', 'text/plain'),
  post('/post', 'text'),
  post('/post', PARTS, BOUNDARY),
  post('/post', 'x', 'multipart/form-data'),
  get('/xml'),
  get('/response-headers?X-A=1&X-A=2&X-Mixed=b'),
  { method: 'POST', path: '/response-headers?X-A=1' },
  get('/cache/60'),
  get('/cache/x'),
  get('/delay/0'),
  get('/delay/0000'),
  get('/delay/x'),
  ...['200', '201', '302', '404', '418', '503', '599', '99', '2000'].map(code => get(`/status/${code}`)),
  get('/stream/3'),
  get('/stream/0'),
  get('/stream/x'),
  get('/basic-auth/user/pass'),
  get('/basic-auth/user/pass', { Authorization: basic('user:pass') }),
  get('/basic-auth/user/pass', { Authorization: basic('user:wrong') }),
  get('/basic-auth/user/pass', { 'Proxy-Authorization': basic('user:pass') }),
  get('/basic-auth/user/pass', { 'Proxy-Authorization': basic('user:wrong'), Authorization: basic('user:pass') }),
  get('/basic-auth/user/pass', { Authorization: 'basic x' }),
  get('/basic-auth/us-er/pass', { Authorization: basic('us-er:pass') }),
  get('/basic-auth/user/pass/more', { Authorization: basic('user:pass/more') }),
  get('/timestamp'),
  get('/hop-by-hop'),
  post('/post_log/one', '{"a":1}', JSON_TYPE),
  post('/post_log/one', '[{"b":2},{"c":[]}]', JSON_TYPE),
  get('/count_log/one'),
  get('/read_log/one'),
  get('/reset_log/one'),
  get('/read_log/one'),
  { method: 'PUT', path: '/post_log/two', body: '{"put":true}' },
  get('/count_log/two'),
  get('/reset_log/two'),
  post('/post_auth_log/three/user/pass', '{"a":1}', JSON_TYPE),
  post('/post_auth_log/three/user/pass', '{"a":1}', JSON_TYPE, { Authorization: basic('user:pass') }),
  get('/count_log/three'),
  get('/reset_log/three'),
  get('/read_log/UPPER'),
]

const CHAT = '/v1/chat/completions'
const EVENTS = 'data: {"a":1}\n\nevent: x\ndata: 2\n\n'
const CONVERSE = [
  '{"role":"assistant"}',
  '{"contentBlockIndex":0,"delta":{"text":"hi"}}',
  '{"contentBlockIndex":0,"start":{}}',
  '{"contentBlockIndex":0}',
  '{"stopReason":"end_turn"}',
  '{"usage":{"inputTokens":1}}',
  '{"other":1}',
].join('\n')

const asks = (headers: Record<string, string>, body = '{"model":"m"}', path = CHAT): Case =>
  post(path, body, undefined, headers)

/** The id is `upstream-1`. */
export const TESTUPSTREAM: readonly Case[] = [
  get('/health'),
  post('/health', 'x'),
  get('/'),
  get(CHAT),
  asks({}, '{}', '/'),
  asks({}, '{}', '/unknown'),
  asks({}),
  asks({}, '{"model":7}'),
  asks({}, '{"model":null}'),
  asks({}, '{"model":{"a":[1,2]}}'),
  asks({}, 'no JSON'),
  asks({}, ''),
  asks({ 'x-fake-response': 'small' }),
  asks({ 'x-fake-response': 'tiny' }),
  asks({}, '{}', '/v1/embeddings'),
  asks({}, '{}', '/non-llm-route'),
  asks({}, '{}', '/a/v1/embeddings'),
  asks({ 'x-fake-response': 'small' }, '{}', '/model/gpt-4/converse'),
  asks({}, '{}', '/model/gpt-4/converse'),
  asks(
    { 'x-fake-response': 'small' },
    '{}',
    '/v1/projects/gcp-project-name/locations/gcp-region/publishers/google/models/gpt-4:generateContent',
  ),
  asks(
    { 'x-fake-response': 'small' },
    '{}',
    '/v1/projects/gcp-project-name/locations/gcp-region/publishers/anthropic/models/gpt-4:rawPredict',
  ),
  // What must hold.
  asks({ 'x-expected-host': 'testupstream.test' }),
  asks({ 'x-expected-host': 'other.test' }),
  asks({ 'x-expected-headers': base64('x-a:1,X-B:two words'), 'X-A': '1', 'x-b': 'two words' }),
  asks({ 'x-expected-headers': base64('x-a:2'), 'x-a': '1' }),
  asks({ 'x-expected-headers': base64('x-a:') }),
  asks({ 'x-expected-headers': base64('x-a') }),
  asks({ 'x-expected-headers': base64('x-a:1:2'), 'x-a': '1:2' }),
  asks({ 'x-expected-headers': '%' }),
  asks({ 'x-non-expected-request-headers': base64('x-a,x-b') }),
  asks({ 'x-non-expected-request-headers': base64('x-c,x-a'), 'x-a': '1' }),
  asks({ 'x-expected-testupstream-id': 'upstream-1' }),
  asks({ 'x-expected-testupstream-id': 'upstream-2' }),
  asks({ 'x-expected-path': base64(CHAT) }),
  asks({ 'x-expected-path': base64('/other') }),
  asks({ 'x-expected-path': base64('/v1/a b') }, '{}', '/v1/a%20b'),
  asks({ 'x-expected-raw-query': 'a=1&b' }, '{}', `${CHAT}?a=1&b`),
  asks({ 'x-expected-raw-query': 'a=1' }, '{}', `${CHAT}?a=2`),
  asks({ 'x-expected-raw-query': 'a=1' }),
  asks({ 'x-expected-request-body': base64('{"model":"m"}') }),
  asks({ 'x-expected-request-body': base64('{"model":"n"}') }),
  asks({ 'x-expected-request-body': '%' }),
  { ...asks({ 'Transfer-Encoding': 'chunked' }) },
  { ...asks({ 'Transfer-Encoding': 'chunked', 'x-gateway-destination-endpoint': '10.0.0.1:80' }) },
  // What is answered.
  asks({ 'x-response-status': '404', 'x-response-body': base64('gone') }),
  asks({ 'x-response-status': '503' }),
  asks({ 'x-response-status': 'x' }),
  asks({ 'x-response-headers': base64('X-A:1,content-type:text/plain'), 'x-response-body': base64('text') }),
  asks({ 'x-response-headers': base64('X-A') }),
  asks({ 'x-response-headers': '%' }),
  asks({ 'x-response-body': '%' }),
  asks({ 'x-response-body': base64('{"a":1}') }, '{}', '/unknown'),
  asks({ 'x-response-type': 'gzip', 'x-response-body': base64('{"a":1}') }),
  asks({ 'x-response-type': 'other', 'x-response-body': base64('{"a":1}') }),
  asks({ 'x-response-type': 'sse', 'x-response-body': base64('one\ntwo\n\n') }),
  asks({ 'x-response-type': 'sse', 'x-response-body': base64('one\ntwo') }),
  asks({ 'x-response-type': 'sse', 'x-response-body': base64(EVENTS), 'x-response-status': '201' }),
  asks({
    'x-response-type': 'sse',
    'x-response-body': base64('one'),
    'x-response-headers': base64('content-type:text/plain'),
  }),
  asks({ 'x-response-type': 'sse' }),
  asks({ 'x-response-type': 'sse-gzip', 'x-response-body': base64(EVENTS) }),
  asks({ 'x-response-type': 'aws-event-stream', 'x-response-body': base64(CONVERSE) }),
  asks({ 'x-response-type': 'aws-event-stream' }),
]

export const TESTBOX_LLM: readonly Case[] = [
  get('/'),
  get(CHAT),
  get('/request'),
  post('/unknown', '{}', JSON_TYPE),
  post('/prefix/v1/messages', '{}', JSON_TYPE),
  post(CHAT, '{"messages":[{"role":"user","content":"What is the name of this project?"}]}', JSON_TYPE),
  post(CHAT, 'an SSN, please'),
  post(CHAT, ''),
  post('/v1/messages', '{"messages":[{"role":"user","content":"Explain data masking"}]}', JSON_TYPE),
  post('/v1/messages', '{"messages":[{"role":"user","content":"BLOCKED"}]}', JSON_TYPE),
  post('/request', '{"body":{"messages":[{"role":"user","content":"return blocked content"}]}}', JSON_TYPE),
  post('/request', '{"body":{}}', JSON_TYPE),
  post('/request', 'Blocked Content'),
  post('/response', '{"body":{"choices":[{"message":{"role":"assistant","content":"masking masking"}}]}}', JSON_TYPE),
  post('/response', '{"body":{"choices":[{},{"message":{"content":"x"}}]}}', JSON_TYPE),
  post('/response', '{}', JSON_TYPE),
  post('/response', '[]', JSON_TYPE),
  post('/response', 'no JSON', JSON_TYPE),
  post('/response', '{"body":{"choices":7}}', JSON_TYPE),
]

const task = (id: unknown, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tasks/send', params })

export const TESTBOX_A2A: readonly Case[] = [
  get('/'),
  get('/agent-card'),
  post('/agent-card', '{}'),
  get('/.well-known/agent.json'),
  post('/', task('1', { id: 't-1', message: { parts: [{ kind: 'text', text: ' hello world ' }] } })),
  post('/any/path', task(7, { id: 't-2', message: { parts: [{ text: 'a' }, { text: 'b' }] } })),
  post('/', task(null, { message: {} })),
  post('/', task({ a: 1 }, {})),
  post('/', '{"method":"tasks/send"}'),
  post('/', '{"method":"message/send"}'),
  post('/', task('1', { id: 5 })),
  post('/', '[]'),
  post('/', 'no JSON'),
  post('/', ''),
  { method: 'DELETE', path: '/' },
]

/** Cases by the name of the flavour. */
export const GATEWAYS: Readonly<Record<string, readonly Case[]>> = {
  'kong-mock': KONG_MOCK,
  testupstream: TESTUPSTREAM,
  'testbox-llm': TESTBOX_LLM,
  'testbox-a2a': TESTBOX_A2A,
}

/** Members of JSON that the machine, the time or chance decides, or that are sentences of the original. */
const VARYING = new Set([
  'hostname',
  'server_addr',
  'server_port',
  'remote_port',
  'realip_remote_port',
  'request_time',
  'binary_remote_addr',
  'error',
  'created',
  'timestamp',
  'system_fingerprint',
])
const CHANCE = 'a text'

/** The answer with what is compared. Lists that are empty in Lua are objects, and errors in text are sentences of the original. */
export function comparableAnswer(name: string, { status, headers, body }: Reply): Answer {
  const type = String(headers['content-type'])
  const { 'content-length': _, ...fields } = comparedFields(headers)
  const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  const isSentence = type.startsWith('application/xml') || (status >= 400 && /^text\/(?:plain|html)/.test(type))
  const text = plain.toString(type.includes('amazon') ? 'base64' : 'utf8')
  return { status, headers: fields, body: isSentence ? '' : withoutChance(name, text) }
}

function withoutChance(name: string, text: string): string {
  try {
    return readable(name, text)
  } catch {
    const lines = text.split('\n')
    const isJson = lines.length > 1 && lines.every(line => line === '' || /^[{[].*[}\]]$/.test(line))
    return isJson ? lines.map(line => (line === '' ? '' : readable(name, line))).join('\n') : text
  }
}

function readable(name: string, line: string): string {
  const replaced: unknown = JSON.parse(line, (key, value: unknown) => {
    if (VARYING.has(key)) return undefined
    if (key === 'url' && typeof value === 'string') return value.replace(/:\d+/, ':<port>')
    if (Array.isArray(value) && value.length === 0) return {}
    if (name === 'testbox-llm' && key === 'text' && String(value).startsWith('Data masking')) return CHANCE
    if (name !== 'testupstream' || typeof value !== 'string') return value
    if (key === 'id' && value.startsWith('chatcmpl-')) return CHANCE
    // Sentences of films, or many times the same one.
    if (key === 'content') return value.length < 1000 ? CHANCE : `${value.length} characters`
    return value
  })
  return JSON.stringify(sorted(replaced))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
