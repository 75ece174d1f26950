/** Replies and streams of the product's providers, read by the wires of the probe: nothing is lost, and no grammar is violated. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { compareReplies, compareRequests, scopeOf } from '../../plugins/probe/wires/difference.ts'
import { emptyEmbedding, emptyReply, emptyRequest, emptyUsage, rankOf } from '../../plugins/probe/wires/neutral.ts'
import type { Part, Reply, Request, Wire, WireAnswer, WireId, WireRequest } from '../../plugins/probe/wires/types.ts'
import { WIRES } from '../../plugins/probe/wires/wires.ts'

const MODELS: Readonly<Record<string, string>> = {
  chat: 'gpt-5',
  responses: 'gpt-5',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
  converse: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  azure: 'gpt-5',
  cohere: 'command-a-03-2025',
}

const EMBEDDING_MODELS: Readonly<Record<string, string>> = {
  chat: 'text-embedding-3-small',
  gemini: 'gemini-embedding-001',
  azure: 'text-embedding-3-small',
  cohere: 'embed-v4.0',
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' }, note: { type: 'string' } } }
const REQUEST: Request = {
  ...emptyRequest(),
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Look at the weather.' }] }],
  tools: [
    { name: 'weather', description: 'Tells the weather', schema: SCHEMA },
    { name: 'clock', description: 'Tells the time', schema: { type: 'object', properties: {} } },
  ],
  params: { max_tokens: 8_000 },
}

const text = (value: string): Part => ({ type: 'text', text: value })
const thought = (value: string): Part => ({ type: 'thinking', text: value, signature: null })
const call = (name: string, args: unknown): Part => ({ type: 'call', id: null, name, args })

interface Case {
  /** The step `reply`. */
  reply: object
  request?: Partial<Request>
  /** Members of the reply that the step asks for. */
  expected: Partial<Reply>
  /** Of wires whose provider says more, or has no word for it. */
  unlike?: Readonly<Partial<Record<WireId, Part[]>>>
}

const WORDS = '  Two words,\n\ttabs, "quotes", e\u0301 and \u{1F469}\u200D\u{1F680}.\n\n<|end|> {"a":1} </b>  '
const CITY = { city: 'Oslo', note: 'a "b"\n{"c":[1]}' }

const REDACTED = 'c2VjcmV0'
/** What Cohere's models say before a call. */
const PLAN = text('I will use the weather tool to answer.')
const THINKING: Partial<Request> = { thinking: { effort: 'medium', budget: null } }

const CASES: Readonly<Record<string, Case>> = {
  text: { reply: { text: WORDS }, expected: { parts: [text(WORDS)], finish: 'stop' } },
  nothing: { reply: { text: '' }, expected: { parts: [], finish: 'stop' } },
  'one call': {
    reply: { tool_calls: [{ name: 'weather', args: CITY }] },
    expected: { parts: [call('weather', CITY)], finish: 'calls' },
    unlike: { cohere: [PLAN, call('weather', CITY)] },
  },
  'text and parallel calls': {
    reply: {
      text: 'I look.',
      tool_calls: [
        { name: 'weather', args: CITY },
        { name: 'weather', args: { city: 'Rome' } },
        { name: 'clock', args: {} },
      ],
    },
    expected: {
      parts: [text('I look.'), call('weather', CITY), call('weather', { city: 'Rome' }), call('clock', {})],
      finish: 'calls',
    },
  },
  reasoning: {
    request: THINKING,
    reply: { reasoning: 'Think of it.', text: 'Done.' },
    expected: { parts: [thought('Think of it.'), text('Done.')], finish: 'stop' },
  },
  blocks: {
    request: THINKING,
    reply: {
      blocks: [
        { reasoning: 'First.' },
        { redacted: REDACTED },
        { tool_call: { name: 'weather', args: CITY } },
        { reasoning: 'Second.' },
        { tool_call: { name: 'clock', args: {} } },
      ],
    },
    expected: {
      parts: [
        thought('First.'),
        { type: 'redacted', data: REDACTED },
        call('weather', CITY),
        thought('Second.'),
        call('clock', {}),
      ],
      finish: 'calls',
    },
    unlike: {
      gemini: [thought('First.'), thought(REDACTED), call('weather', CITY), thought('Second.'), call('clock', {})],
      cohere: [thought(`First.${REDACTED}Second.`), PLAN, call('weather', CITY), call('clock', {})],
    },
  },
  refusal: {
    reply: { refusal: 'I will not.' },
    expected: { parts: [{ type: 'refusal', text: 'I will not.' }], finish: 'refusal' },
  },
  length: { reply: { text: 'Some', finish: 'length' }, expected: { parts: [text('Some')], finish: 'length' } },
  filter: { reply: { text: 'Some', finish: 'content_filter' }, expected: { parts: [text('Some')], finish: 'filter' } },
  'a stop sequence': {
    request: { params: { max_tokens: 8_000, stop: ['HALT'] } },
    reply: { text: 'One HALT two' },
    expected: { parts: [text('One ')], finish: 'stop_sequence', stop_sequence: 'HALT' },
    unlike: { responses: [text('One HALT two')] },
  },
  'a stop sequence that the reply names': {
    reply: { text: 'One ', finish: 'stop_sequence', stop_sequence: 'HALT' },
    expected: { parts: [text('One ')], finish: 'stop_sequence', stop_sequence: 'HALT' },
  },
  'tokens written to a cache': {
    reply: {
      text: 'Counted.',
      usage: {
        prompt_tokens: 1_003,
        cached_tokens: 401,
        cache_write_5m_tokens: 53,
        cache_write_1h_tokens: 29,
        completion_tokens: 77,
      },
    },
    expected: {
      parts: [text('Counted.')],
      finish: 'stop',
      usage: { ...emptyUsage(), input: 1_003, cached: 401, write: 82, write_1h: 29, output: 77 },
    },
  },
  usage: {
    reply: {
      text: 'Counted.',
      usage: { prompt_tokens: 1_003, cached_tokens: 401, completion_tokens: 77, reasoning_tokens: 31 },
    },
    expected: {
      parts: [text('Counted.')],
      finish: 'stop',
      usage: { ...emptyUsage(), input: 1_003, cached: 401, output: 77, reasoning: 31 },
    },
  },
}

/** No pauses between tokens. */
const FAST = { 'x-svc-ttft-ms': '0', 'x-svc-tokens-per-second': '100000', 'x-svc-latency-ms': '0' }

const server = await launch({ env: { SVC_AI_VALIDATION: 'enforce' } })
t.teardown(() => server.stop())

async function ask(
  wire: Wire,
  { method, path, fields, body }: WireRequest,
  more: Record<string, string>,
): Promise<WireAnswer> {
  const headers = { ...Object.fromEntries([...fields, ...wire.credentials('a-key')]), ...FAST, ...more }
  const response = await fetch(`${server.url}${wire.base}${path}`, { method, headers, body: new Uint8Array(body) })
  return {
    status: response.status,
    fields: [...response.headers],
    body: Buffer.from(await response.arrayBuffer()),
    isComplete: true,
  }
}

/** JSON in ASCII. */
function inHeader(value: object): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replaceAll(/[\u0080-\uffff]/g, escaped)
}

for (const wire of WIRES)
  t.test(wire.id, async t => {
    for (const [name, { reply, request = {}, expected, unlike = {} }] of Object.entries(CASES))
      for (const mode of ['plain', 'stream'] as const) {
        const isStream = mode === 'stream'
        const written = wire.writeRequest({ ...REQUEST, ...request }, { model: MODELS[wire.id]!, stream: isStream })
        const answer = await ask(wire, written, { 'x-svc-reply-json': inHeader(reply) })
        const label = `${wire.id} ${mode}: ${name}`
        if (answer.status !== 200) {
          t.fail(`${label}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
          continue
        }
        t.equal(wire.readError(answer), null, `${label}: no error`)
        const stream = isStream ? wire.readStream(answer) : null
        const read = stream?.reply ?? wire.readReply(answer)
        t.strictSame(read.problems, [], `${label}: no problems`)
        if (stream !== null) {
          t.strictSame(stream.grammar, [], `${label}: grammar`)
          t.equal(stream.isEnded, true, `${label}: end`)
          t.equal(stream.error, null)
        }
        const parts = unlike[wire.id] ?? expected.parts ?? []
        const whole = { ...emptyReply(), usage: read.usage, ...expected, parts }
        const scope = scopeOf({ client: wire, upstream: wire }, { side: 'reply', scene: name, mode })
        const found = compareReplies(whole, read, scope)
        t.strictSame(
          found.filter(({ kind }) => kind !== 'unavoidable'),
          [],
          `${label}: differences`,
        )
        if (wire.id === 'messages') t.strictSame(found, [], `${label}: the wire can say all of it`)
      }
  })

interface Failure {
  class: 'client' | 'limit' | 'server'
  retryAfter?: string
  isContextLength?: boolean
}

const FAILURES: Readonly<Record<string, Failure>> = {
  bad_request: { class: 'client' },
  context_length: { class: 'client', isContextLength: true },
  not_found: { class: 'client' },
  too_large: { class: 'client' },
  invalid_credential: { class: 'client' },
  forbidden: { class: 'client' },
  rate_limit: { class: 'limit', retryAfter: '2' },
  server_error: { class: 'server' },
  unavailable: { class: 'server' },
  overloaded: { class: 'server' },
  timeout: { class: 'server' },
}

for (const wire of WIRES)
  t.test(`${wire.id}: errors before the first byte`, async t => {
    for (const [kind, expected] of Object.entries(FAILURES))
      for (const stream of [false, true]) {
        const written = wire.writeRequest(REQUEST, { model: MODELS[wire.id]!, stream })
        const answer = await ask(wire, written, { 'x-svc-fail': kind })
        const error = wire.readError(answer)
        const label = `${kind}${stream ? ' of a stream' : ''}`
        t.match(
          error,
          { ...expected, status: answer.status, isOfWire: true, isRaised: true, message: /./ },
          `${label}: ${answer.status} ${answer.body.toString()}`,
        )
        t.equal(error?.isContextLength, expected.isContextLength ?? false, `${label}: whether the prompt was too long`)
      }
  })

for (const wire of WIRES)
  t.test(`${wire.id}: an error in a stream keeps what came before it`, async t => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')
    const written = wire.writeRequest(REQUEST, { model: MODELS[wire.id]!, stream: true })
    const answer = await ask(wire, written, {
      'x-svc-reply-json': inHeader({ text: words }),
      'x-svc-fail': 'stream_error@5',
    })
    t.equal(answer.status, 200)
    const { error, isEnded, reply } = wire.readStream(answer)
    t.equal(isEnded, false)
    t.match(error, { message: /./, isRaised: true })
    const [part] = reply.parts
    t.equal(part?.type === 'text' && part.text !== '' && words.startsWith(part.text), true)
    t.equal(reply.finish, null)
  })

/** Legal in any stream. */
const FRAMINGS = ['split=utf8', 'split=byte', 'join=3', 'crlf', 'nospace', 'comments=wait@2', 'heartbeat=200']
const SHAPES = [
  ...FRAMINGS,
  'empty-choices',
  'usage=last',
  'usage=beside',
  'role=every',
  'tools=interleaved',
  'tools=no-index',
  'tools=same-index',
  'tools=no-id',
  'tools=fused',
  'tools=late-name',
  'tools=repeat-id',
  'id=absent',
  'huge=300000',
  'sequence=absent',
]

for (const wire of WIRES)
  t.test(`${wire.id}: unusual streams are the same reply`, async t => {
    const { reply } = CASES['text and parallel calls']!
    const written = wire.writeRequest(REQUEST, { model: MODELS[wire.id]!, stream: true })
    const step = { 'x-svc-reply-json': inHeader(reply) }
    const usual = wire.readStream(await ask(wire, written, step)).reply
    for (const shape of SHAPES) {
      const answer = await ask(wire, written, { ...step, 'x-svc-stream-shape': shape })
      if (!answer.fields.some(([name]) => name === 'x-svc-stream-shape')) continue
      const { reply: read, grammar, error, isEnded } = wire.readStream(answer)
      const scope = scopeOf({ client: wire, upstream: wire }, { side: 'reply', scene: shape, mode: 'stream' })
      t.strictSame(compareReplies(usual, read, scope), [], `${shape}: differences`)
      t.strictSame(read.problems, [], `${shape}: problems`)
      t.equal(error, null, `${shape}: no error`)
      t.equal(isEnded, true, `${shape}: end`)
      if (FRAMINGS.includes(shape)) t.strictSame(grammar, [], `${shape}: grammar`)
    }
  })

for (const wire of WIRES)
  t.test(`${wire.id}: a reply that a client sends back is taken by the vendor's rules, and read as it was`, async t => {
    const { reply } = CASES.blocks!
    const model = MODELS[wire.id]!
    for (const stream of [false, true]) {
      const asked: Request = { ...REQUEST, ...THINKING }
      // An effort or a budget: what the wire has.
      const { thinking } = wire.readRequest(wire.writeRequest(asked, { model, stream }))
      if (thinking !== null) t.equal(rankOf(thinking), 'medium')
      const first = { ...asked, thinking }
      const step = { 'x-svc-reply-json': inHeader(reply) }
      const answer = await ask(wire, wire.writeRequest(first, { model, stream }), step)
      const came = stream ? wire.readStream(answer).reply : wire.readReply(answer)
      const results = came.parts.filter(({ type }) => type === 'call') as Extract<Part, { type: 'call' }>[]
      t.equal(results.length, 2)
      const second: Request = {
        ...first,
        turns: [
          ...first.turns,
          { role: 'assistant', parts: came.parts, native: came.native },
          {
            role: 'user',
            parts: results.map(({ id, name }, index) => ({
              type: 'result',
              id,
              name,
              parts: [text(`Result ${index}`)],
              error: false,
            })),
          },
        ],
      }
      const written = wire.writeRequest(second, { model, stream })
      const next = await ask(wire, written, { 'x-svc-reply-json': '{"text":"Done."}' })
      t.equal(next.status, 200, next.body.toString().slice(0, 500))
      const read = wire.readRequest(written)
      t.strictSame(read.problems, [])
      const scope = scopeOf({ client: wire, upstream: wire }, { side: 'request', scene: 'loop', mode: 'plain' })
      const lost = compareRequests(second, read, scope).filter(({ kind }) => kind !== 'unavoidable')
      t.strictSame(lost, [], 'the conversation')
    }
  })

for (const wire of WIRES)
  t.test(`${wire.id}: token counts and embeddings are read`, async t => {
    if (wire.count !== undefined) {
      const answer = await ask(wire, wire.count.write(REQUEST, { model: MODELS[wire.id]! }), {})
      t.equal(answer.status, 200, answer.body.toString().slice(0, 300))
      const count = wire.count.read(answer)
      t.ok(count !== null && count > 0, `counts ${String(count)}`)
    }
    if (wire.embeddings === undefined) return
    for (const encoding of ['float', 'base64'] as const) {
      const request = { ...emptyEmbedding(), inputs: ['one', 'two', 'three'], dimensions: 256, encoding }
      const model = EMBEDDING_MODELS[wire.id]!
      const written = wire.embeddings.write(request, model)
      t.match(wire.embeddings.readRequest(written), { inputs: request.inputs, dimensions: 256, problems: [] })
      const answer = await ask(wire, written, {})
      t.equal(answer.status, 200, answer.body.toString().slice(0, 300))
      const { vectors, problems } = wire.embeddings.readReply(answer)
      t.strictSame(problems, [])
      t.strictSame(
        vectors.map(({ length }) => length),
        [256, 256, 256],
      )
      t.notSame(vectors[0], vectors[1])
    }
  })
