/**
 * Replies of models that multiply what the request gives: each is refused in the provider's own form, or answered within
 * the output budget, and neither fills the process nor stops it for other clients.
 */
import type { Test } from 'tap'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { attackedServer, attackWith, type AttackedServer, type Cost } from './attacked-server.ts'
import { connectJson } from './json-socket.ts'

const MIB = 1024 * 1024
/** Requests at once. */
const TIMES = 10
/** How long a client that reads nothing stays, in milliseconds. */
const UNREAD_MS = 1000
const JSON_TYPE = { 'content-type': 'application/json' }

/** Texts of a size, in bytes. */
const WORDS = (bytes: number): string => 'hello there, '.repeat(bytes / 13)
const IDEOGRAPHS = (bytes: number): string => '\u6f22'.repeat(bytes / 3)

interface Attack {
  path: string
  body: object
  headers?: Record<string, string>
  /** What the refusal looks like; absent: it may be answered. */
  refusal?: RegExp
}

const PROMPT = '{{prompt}}'.repeat(1000)
const OPENAI = /"type":"invalid_request_error"/

const user = (content: string): object => ({ messages: [{ role: 'user', content }] })
const byHeader = (reply: object): Record<string, string> => ({ 'x-svc-reply-json': JSON.stringify(reply) })
const calls = (args: object): object => ({ tool_calls: Array.from({ length: 50 }, () => ({ name: 'f', args })) })
const echoed = (content: string, more: object = {}): object => ({ model: 'echo', ...user(content), ...more })

/** One path of each wire format, with a body that asks for a reply to a text. */
const WIRES: Record<string, { path: string; body(text: string): object; refusal: RegExp }> = {
  'OpenAI chat': { path: '/ai/openai/v1/chat/completions', body: text => user(text), refusal: OPENAI },
  'OpenAI completions': { path: '/ai/openai/v1/completions', body: prompt => ({ prompt }), refusal: OPENAI },
  'OpenAI Responses': { path: '/ai/openai/v1/responses', body: input => ({ input }), refusal: OPENAI },
  Azure: {
    path: '/ai/azure/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    body: text => user(text),
    refusal: /"message":".*SVC_BUDGET_OUTPUT_BYTES/,
  },
  Anthropic: {
    path: '/ai/anthropic/v1/messages',
    body: text => ({ model: 'svc-claude', max_tokens: 100_000_000, ...user(text) }),
    refusal: /"type":"invalid_request_error"/,
  },
  Gemini: {
    path: '/ai/gemini/v1beta/models/svc-gemini:generateContent',
    body: text => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    refusal: /"status":"INVALID_ARGUMENT"/,
  },
  Bedrock: {
    path: '/ai/bedrock/model/anthropic.claude-sonnet-4-5-20250929-v1:0/converse',
    body: text => ({ messages: [{ role: 'user', content: [{ text }] }] }),
    refusal: /"message":".*SVC_BUDGET_OUTPUT_BYTES/,
  },
  Cohere: { path: '/ai/cohere/v2/chat', body: text => ({ model: 'c', ...user(text) }), refusal: /"message":"/ },
  'Cohere v1': { path: '/ai/cohere/v1/chat', body: message => ({ message }), refusal: /"message":"/ },
  Ollama: {
    path: '/ai/ollama/api/chat',
    body: text => ({ model: 'llama3.2', stream: false, ...user(text) }),
    refusal: /"error":"/,
  },
}

const BIG_SCHEMA = {
  type: 'object',
  properties: { list: { type: 'array', minItems: 1e9, items: { $ref: '#/$defs/big' } } },
  $defs: { big: { type: 'array', minItems: 20, items: { const: 'c'.repeat(400_000) } } },
}
const format = (schema: object): object => ({ type: 'json_schema', json_schema: { name: 's', schema } })

const ATTACKS: Record<string, Attack> = {
  ...Object.fromEntries(
    Object.entries(WIRES).flatMap(([name, { path, body, refusal }]) => [
      [`templates, ${name}`, { path, body: body(WORDS(100_000)), headers: byHeader({ text: PROMPT }), refusal }],
      [
        `templates in calls, ${name}`,
        {
          path,
          body: body(WORDS(100_000)),
          headers: byHeader(calls({ a: '{{prompt}}{{prompt}}{{prompt}}{{prompt}}' })),
          refusal,
        },
      ],
    ]),
  ),
  'templates in JSON': {
    path: WIRES['OpenAI chat']!.path,
    body: user('\u0001'.repeat(100_000)),
    headers: byHeader({ json: Array.from({ length: 150 }, () => '{{prompt}}') }),
    refusal: OPENAI,
  },
  'templates in reasoning, for eight choices': {
    path: WIRES['OpenAI chat']!.path,
    body: { ...user(WORDS(100_000)), n: 8 },
    headers: byHeader({ reasoning: '{{prompt}}'.repeat(900), text: 'x' }),
    refusal: OPENAI,
  },
  'templates in a refusal': {
    path: WIRES['OpenAI chat']!.path,
    body: user(WORDS(100_000)),
    headers: byHeader({ refusal: PROMPT }),
    refusal: OPENAI,
  },
  'templates in a stream': {
    path: WIRES['OpenAI chat']!.path,
    body: { ...user(WORDS(100_000)), stream: true },
    headers: { ...byHeader({ text: PROMPT }), 'x-svc-tokens-per-second': '0' },
    refusal: OPENAI,
  },
  'characters that JSON escapes': {
    path: WIRES['OpenAI chat']!.path,
    body: user('\u0001'.repeat(160_000)),
    headers: byHeader({ text: '{{prompt}}'.repeat(100) }),
    refusal: OPENAI,
  },
  'log probabilities': {
    path: WIRES['OpenAI chat']!.path,
    body: echoed(WORDS(250_000), { logprobs: true, top_logprobs: 20 }),
    refusal: OPENAI,
  },
  'log probabilities of each character': {
    path: WIRES['OpenAI chat']!.path,
    body: echoed('.,'.repeat(400_000), { logprobs: true, top_logprobs: 20, n: 8 }),
    refusal: OPENAI,
  },
  'log probabilities in a stream': {
    path: WIRES['OpenAI chat']!.path,
    body: echoed(WORDS(250_000), { logprobs: true, top_logprobs: 20, stream: true }),
    refusal: OPENAI,
  },
  'log probabilities, Azure': {
    path: WIRES.Azure!.path,
    body: echoed(WORDS(250_000), { logprobs: true, top_logprobs: 20 }),
    headers: { 'x-svc-mode': 'echo' },
    refusal: WIRES.Azure!.refusal,
  },
  'log probabilities of an echoed prompt': {
    path: WIRES['OpenAI completions']!.path,
    body: { model: 'echo', prompt: '.,'.repeat(400_000), logprobs: 5, echo: true, n: 8 },
    refusal: OPENAI,
  },
  'a prompt that is echoed for each choice and each prompt': {
    path: WIRES['OpenAI completions']!.path,
    body: {
      model: 'echo',
      prompt: Array.from({ length: 64 }, () => WORDS(14_000)),
      echo: true,
      n: 8,
      suffix: 'x'.repeat(50_000),
    },
    refusal: OPENAI,
  },
  'a schema that repeats a constant': {
    path: WIRES['OpenAI chat']!.path,
    body: { ...user('hello'), response_format: format(BIG_SCHEMA) },
    refusal: OPENAI,
  },
  'a schema of a tool that repeats a constant': {
    path: WIRES['OpenAI chat']!.path,
    body: {
      ...user('hello'),
      tools: [{ type: 'function', function: { name: 'f', parameters: BIG_SCHEMA } }],
      tool_choice: 'required',
    },
    refusal: OPENAI,
  },
  'a schema that merges long lists of properties': {
    path: WIRES['OpenAI chat']!.path,
    body: {
      ...user('hello'),
      response_format: format({
        allOf: Array.from({ length: 10_000 }, () => ({ $ref: '#/$defs/b' })),
        $defs: { b: { properties: Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`p${at}`, {}])) } },
      }),
    },
  },
  'a schema with many places to find in a long text': {
    path: WIRES['OpenAI chat']!.path,
    body: {
      ...user(`in ${'x '.repeat(400_000)}`),
      response_format: format({
        type: 'array',
        minItems: 20,
        items: {
          type: 'array',
          minItems: 20,
          items: { type: 'object', properties: { city: {}, place: {}, region: {} } },
        },
      }),
    },
  },
  'a long text and many tools': {
    path: WIRES['OpenAI chat']!.path,
    body: {
      ...user('a b '.repeat(100_000)),
      tools: Array.from({ length: 8000 }, () => ({ type: 'function', function: { name: 'a_c' } })),
    },
  },
  'many results of calls': {
    path: WIRES['OpenAI chat']!.path,
    body: {
      messages: [
        { role: 'assistant', tool_calls: [] },
        ...Array.from({ length: 15_000 }, (_, at) => ({ role: 'tool', tool_call_id: `c${at}`, content: 'x' })),
      ],
    },
  },
  'a long text without spaces in canned mode': { path: WIRES['OpenAI chat']!.path, body: user(IDEOGRAPHS(MIB - 1000)) },
  'an echo for each choice': {
    path: WIRES['OpenAI chat']!.path,
    body: echoed(IDEOGRAPHS(MIB - 1000), { n: 8 }),
  },
  'a stream that a fault breaks late': {
    path: WIRES['OpenAI chat']!.path,
    body: echoed(WORDS(60_000), { stream: true }),
    headers: { 'x-svc-fail': 'disconnect@100000', 'x-svc-tokens-per-second': '0' },
  },
  'vectors of many dimensions': {
    path: '/ai/openai/v1/embeddings',
    body: { input: Array.from({ length: 256 }, () => WORDS(3900)), dimensions: 1536 },
  },
  'vectors of short texts': {
    path: '/ai/openai/v1/embeddings',
    body: { input: Array.from({ length: 256 }, () => 'a'), dimensions: 1536, encoding_format: 'base64' },
  },
  'many documents to rank': {
    path: '/ai/cohere/v2/rerank',
    body: { query: WORDS(400_000), documents: Array.from({ length: 256 }, () => WORDS(2000)), return_documents: true },
  },
  'templates in a rule of a provider': {
    path: '/ai/acme/v1/chat/completions',
    body: user(WORDS(100_000)),
    refusal: OPENAI,
  },
  'templates in the reply of a provider': {
    path: '/ai/parrot/v1/chat/completions',
    body: { ...user(WORDS(100_000)), n: 8 },
    refusal: OPENAI,
  },
  'images with a long prompt': {
    path: '/ai/openai/v1/images/generations',
    body: { prompt: WORDS(MIB - 2000), n: 4 },
  },
  'many inputs to moderate': {
    path: '/ai/openai/v1/moderations',
    body: { input: Array.from({ length: 256 }, () => 'kill') },
  },
  'tokens of a long text': {
    path: '/ai/openai/tokenize',
    body: { prompt: '.,'.repeat(500_000), return_token_strs: true },
  },
}

/** Named providers of `svc.yaml` that multiply what the client sends. */
const YAML = `
llm:
  providers:
    - name: acme
      format: openai
      models: [{ id: m }]
      rules:
        - match: { contains: hello }
          reply: { text: "${PROMPT.slice(0, 4000)}" }
    - name: parrot
      format: openai
      models: [{ id: m }]
      reply: "${PROMPT.slice(0, 4000)}"
`

/** Only the attacks with this in their name. */
const CHOSEN = process.env.SVC_TEST_ATTACK

function isChosen(name: string): boolean {
  return CHOSEN === undefined || name.includes(CHOSEN)
}

/** Attacks a server in default or in public mode. */
export async function attackOutput(t: Test, { isPublic }: { isPublic: boolean }): Promise<void> {
  const server = await attackedServer(t, { isPublic, yaml: YAML })
  await warmUp(server)
  const limit = (isPublic ? 1 : 16) * MIB
  for (const [name, attack] of Object.entries(ATTACKS))
    if (isChosen(name)) await attackBy(t, server, { name, attack, limit })
  for (const [name, act] of Object.entries(OTHERS)) if (isChosen(name)) check(t, name, await act(t, server))
}

/** Attacks that are more than a request. */
const OTHERS: Record<string, (t: Test, server: AttackedServer) => Promise<Cost>> = {
  async 'templates in a rule of each session'(t, server) {
    const rule = { match: { llm: {} }, then: { reply: { text: PROMPT } } }
    return server.attack(TIMES, async index => {
      const headers = { ...JSON_TYPE, 'x-svc-session': `rule-${index}` }
      const made = await attackWith(`${server.url}/_svc/rules/a`, {
        method: 'PUT',
        headers,
        body: JSON.stringify(rule),
      })
      t.ok(made.status < 300, `the rule is stored: ${made.text}`)
      const reply = await attackWith(server.url + WIRES['OpenAI chat']!.path, {
        headers,
        body: JSON.stringify(user(WORDS(100_000))),
      })
      t.equal(reply.status, 400)
      t.match(reply.text, OPENAI)
    })
  },
  'templates on realtime sockets': (t, server) =>
    server.attack(TIMES, async index => {
      const client = await connectJson(t, `${server.url}/ai/openai/v1/realtime?model=svc-gpt`, {
        headers: { 'x-svc-session': `realtime-${index}`, ...byHeader({ text: PROMPT }) },
      })
      const content = [{ type: 'input_text', text: WORDS(60_000) }]
      client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
      client.send({ type: 'response.create', response: { output_modalities: ['text'] } })
      const { error } = await client.next('error')
      t.match(error, { type: 'invalid_request_error', message: /SVC_BUDGET_OUTPUT_BYTES/ })
      client.socket.terminate()
      await client.closed
    }),
  'templates on Live sockets': (t, server) =>
    server.attack(TIMES, async index => {
      const client = await connectJson(t, `${server.url}/ai/gemini${LIVE}`, {
        headers: { 'x-svc-session': `live-${index}`, ...byHeader({ text: PROMPT }) },
      })
      client.send({ setup: { model: 'models/svc-gemini', generationConfig: { responseModalities: ['TEXT'] } } })
      const turns = [{ role: 'user', parts: [{ text: WORDS(60_000) }] }]
      client.send({ clientContent: { turns, turnComplete: true } })
      const { code, reason } = await client.closed
      t.equal(code, 1007)
      t.match(reason, /SVC_BUDGET_OUTPUT_BYTES/)
    }),
  'spoken replies on realtime sockets that nobody reads': (t, server) =>
    server.attack(TIMES, async index => {
      const client = await connectJson(t, `${server.url}/ai/openai/v1/realtime?model=echo`, {
        headers: { 'x-svc-session': `spoken-${index}`, 'x-svc-tokens-per-second': '0' },
      })
      const content = [{ type: 'input_text', text: WORDS(60_000) }]
      client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
      client.send({ type: 'response.create', response: { output_modalities: ['audio'] } })
      await client.next('response.created')
      client.socket.pause()
      await sleep(UNREAD_MS)
      client.socket.terminate()
      await client.closed
    }),
  'streams that nobody reads': (_t, server) =>
    server.attack(TIMES, async () => {
      const headers = { ...JSON_TYPE, 'x-svc-tokens-per-second': '0' }
      await unread(server.url + WIRES['OpenAI chat']!.path, headers, echoed(WORDS(900_000), { stream: true }))
    }),
  'large replies that nobody reads': (_t, server) =>
    server.attack(TIMES, async () => {
      const body = echoed(WORDS(40_000), { logprobs: true, top_logprobs: 20 })
      await unread(server.url + WIRES['OpenAI chat']!.path, JSON_TYPE, body)
    }),
}

const LIVE = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'

/** Sends a request, reads nothing of the answer, and disconnects after a while. */
async function unread(url: string, headers: Record<string, string>, body: object): Promise<void> {
  const request = httpRequest(url, { method: 'POST', agent: false, headers })
  const closed = once(request, 'close')
  request.on('error', () => {})
  request.on('response', response => response.on('error', () => {}))
  request.end(JSON.stringify(body))
  await once(request, 'response')
  await sleep(UNREAD_MS)
  request.destroy()
  await closed
}

/** Code is compiled, and the heap has the size of ordinary traffic. */
async function warmUp(server: AttackedServer): Promise<void> {
  for (const { path, body } of Object.values(WIRES))
    for (let round = 0; round < 10; round++)
      await attackWith(server.url + path, { headers: JSON_TYPE, body: JSON.stringify(body(WORDS(20_000))) })
}

async function attackBy(
  t: Test,
  server: AttackedServer,
  { name, attack, limit }: { name: string; attack: Attack; limit: number },
): Promise<void> {
  const { path, body, headers = {}, refusal } = attack
  const text = JSON.stringify(body)
  t.ok(Buffer.byteLength(text) <= MIB, `${name}: a body that is accepted`)
  const cost = await server.attack(TIMES, () =>
    attackWith(server.url + path, { headers: { ...JSON_TYPE, ...headers }, body: text }),
  )
  check(t, name, cost)
  for (const result of cost.results) {
    if (result.status === 'rejected') {
      t.fail(`${name}: ${String(result.reason)}`)
      continue
    }
    const { status, bytes, text: start } = result.value
    if (status === 503) t.match(start, /SVC_BUDGET_MEMORY_BYTES/, `${name}: ${start.slice(0, 300)}`)
    else if (refusal === undefined) {
      t.ok(status === 200 || status === 400, `${name}: ${status} ${start.slice(0, 300)}`)
      t.ok(bytes <= limit || (body as { stream?: boolean }).stream === true, `${name}: ${bytes} bytes`)
    } else {
      t.equal(status, 400, `${name}: ${start.slice(0, 300)}`)
      t.match(start, refusal, name)
      t.match(start, /SVC_BUDGET_OUTPUT_BYTES/, name)
    }
  }
}

function check(t: Test, name: string, { grownMib, slowestWaitMs, cpuMs, exit }: Cost): void {
  const shown = `${name}: +${grownMib} MiB, waited ${slowestWaitMs} ms of ${cpuMs} ms`
  if (process.env.SVC_TEST_COSTS !== undefined) t.comment(shown)
  t.equal(exit, null, `${name}: the process lives`)
  t.ok(grownMib < 64, shown)
  t.ok(slowestWaitMs < 250, shown)
}
