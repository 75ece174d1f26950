/**
 * State of mock models that grows with every turn: chains, conversations, batches, socket histories, background responses
 * and files. What exceeds the output budget is refused; nothing fills the process or stops it for other clients.
 * Measures: memory and processor time of a process.
 */
import t, { type Test } from 'tap'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { attackedServer, attackWith, type AttackedServer, type Answer } from '../../support/attacked-server.ts'
import { connectJson, type JsonMessage, type JsonSocket } from '../../support/json-socket.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** Requests at once. */
const TIMES = 10
/** Turns of a chain, at most. */
const TURNS = 5
const LIVE = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const HEADERS = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'x-svc-tokens-per-second': '0',
}
const TOKENIZER = { 'x-svc-tokenizer': 'o200k_base' }
/** Only the attacks with this in their name. */
const CHOSEN = process.env.SVC_TEST_ATTACK

interface Reply {
  status: number
  text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of many formats
  json: any
}

/** Talks to the server in one session. */
interface Client {
  server: AttackedServer
  isPublic: boolean
  session: string
  /** Sends a request to a path under `/ai`, and reads the answer as JSON. */
  ask(path: string, body?: object, headers?: Record<string, string>): Promise<Reply>
  /** The same, without keeping the answer. */
  hit(path: string, body?: object, headers?: Record<string, string>): Promise<Answer>
}

interface Attack {
  /** Before the measurement, in the same session. Its result is passed to each `act`. Absent: each `act` has its own session. */
  prepare?(client: Client): Promise<string>
  /** The files are more than what the store holds. */
  mayBeForgotten?: boolean
  /** What is done ten times at once. */
  act(client: Client, prepared: string, test: Test): Promise<Answer | void>
}

const words = (bytes: number): string => 'lorem ipsum '.repeat(Math.ceil(bytes / 12)).slice(0, bytes)
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const RESPONSES = '/openai/v1/responses'
const INTERACTIONS = '/gemini/v1beta/interactions'
const continuing = (id: string, more: object = {}): object => ({
  model: 'svc-gpt',
  input: 'x',
  previous_response_id: id,
  ...more,
})

/** A chain that doubles with each turn, as long as it is accepted. Returns its last id. */
async function doubled(
  client: Client,
  path: string,
  link: 'previous_response_id' | 'previous_interaction_id',
): Promise<string> {
  let last = ''
  for (let turn = 0; turn < TURNS; turn++) {
    const body = turn === 0 ? { input: words(200 * KIB) } : { input: 'x', [link]: last }
    const { status, json } = await client.ask(path, { model: 'svc-echo', ...body })
    if (status !== 200) break
    last = json.id
  }
  return last
}

/** A chain of long texts, or of many items, to which canned replies are given: the longest that is accepted. */
const long =
  (input: (isPublic: boolean) => unknown) =>
  async (client: Client): Promise<string> => {
    let last: string | null = null
    for (let turn = 0; turn < TURNS; turn++) {
      const body = { model: 'svc-gpt', input: input(client.isPublic), previous_response_id: last }
      const { status, json } = await client.ask(RESPONSES, body)
      if (status !== 200) break
      last = json.id
    }
    return last!
  }
const longText = long(isPublic => words(isPublic ? 60 * KIB : 900 * KIB))
const manyItems = long(isPublic =>
  times(isPublic ? 400 : 5500, () => ({ role: 'user', content: [{ type: 'input_text', text: 'a' }] })),
)

const message = (bytes: number): object => ({ type: 'message', role: 'user', content: words(bytes) })

async function conversation(client: Client, bytes: number, rounds: number): Promise<string> {
  const { json } = await client.ask('/openai/v1/conversations', { items: times(10, () => message(bytes)) })
  for (let round = 1; round < rounds; round++)
    await client.ask(`/openai/v1/conversations/${json.id}/items`, { items: times(10, () => message(bytes)) })
  return json.id
}

const chatLines = (isPublic: boolean): string =>
  times(isPublic ? 50 : 60, at =>
    JSON.stringify({
      custom_id: `c${at}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'svc-echo', n: 8, messages: [{ role: 'user', content: words(4 * KIB) }] },
    }),
  ).join('\n')

async function upload({ server, session }: Client, content: string): Promise<string> {
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', new Blob([content]), 'input.jsonl')
  const answer = await fetch(`${server.url}/ai/openai/v1/files`, {
    method: 'POST',
    headers: { 'x-svc-session': session },
    body: form,
  })
  return ((await answer.json()) as { id: string }).id
}

/** Creates a batch that ends soon, and asks for it after its end. Returns the id of its output, or of its errors. */
async function runBatch(client: Client): Promise<string> {
  const file = await upload(client, chatLines(client.isPublic))
  const body = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }
  const { json } = await client.ask('/openai/v1/batches', body, { 'x-svc-batch': '300ms' })
  await sleep(350)
  const ended = await client.ask(`/openai/v1/batches/${json.id}`)
  if (ended.status !== 200) throw new Error(ended.text)
  return ended.json.output_file_id ?? ended.json.error_file_id
}

/** From now on, each item of a batch of the session gets a reply that repeats its prompt. */
async function addRule({ server, session }: Client): Promise<void> {
  const { status, text } = await attackWith(`${server.url}/_svc/rules/a`, {
    method: 'PUT',
    headers: { ...HEADERS, 'x-svc-session': session },
    body: JSON.stringify({ match: { llm: {} }, then: { reply: { text: '{{prompt}}'.repeat(100) } } }),
  })
  if (status >= 300) throw new Error(text)
}

const ENDS = ['response.done', 'response.completed', 'response.incomplete', 'error']

/** Asks for a reply several times, after the reply before; stops at a refusal. */
async function turns(socket: JsonSocket, ask: (last: string | null) => object): Promise<void> {
  let last: string | null = null
  for (let turn = 0; turn < TURNS; turn++) {
    socket.send(ask(last))
    const end = await socket
      .until(({ type, sessionResumptionUpdate }) => ENDS.includes(type) || sessionResumptionUpdate !== undefined)
      .then(messages => messages.at(-1)!)
      .catch((error: unknown): JsonMessage => ({ type: 'error', error: String(error) }))
    if (end.type === 'error') break
    last = end.response?.id
  }
  socket.socket.terminate()
  await socket.closed
}

const responses =
  (more: object, headers: Record<string, string> = {}, path = RESPONSES): Attack['act'] =>
  (client, id) =>
    client.hit(path, continuing(id, more), headers)

const ATTACKS: Record<string, Attack> = {
  'a chain of echoed responses': {
    prepare: client => doubled(client, RESPONSES, 'previous_response_id'),
    act: responses({ model: 'svc-echo' }),
  },
  'a chain of long texts': { prepare: longText, act: responses({}) },
  'a chain of many items, cached, shortened and limited': {
    prepare: manyItems,
    act: responses(
      { truncation: 'auto' },
      { 'x-svc-context-window': '1000', 'x-svc-prefix-cache': 'on', 'x-svc-limit-tpm': '1000000000' },
    ),
  },
  'tokens of a chain, counted with its tokenizer': {
    prepare: longText,
    act: responses({}, TOKENIZER, `${RESPONSES}/input_tokens`),
  },
  'a chain of many items, compacted': { prepare: manyItems, act: responses({}, {}, `${RESPONSES}/compact`) },
  'references to an item of a chain': {
    async prepare(client) {
      const { json } = await client.ask(`${RESPONSES}/${await longText(client)}/input_items?limit=1`)
      return json.data[0].id
    },
    act: (client, id) => client.hit(RESPONSES, { model: 'svc-gpt', input: times(8000, () => ({ id })) }),
  },
  'a conversation of echoed responses': {
    async prepare(client) {
      const id = await conversation(client, 20 * KIB, 1)
      for (let turn = 0; turn < TURNS; turn++)
        await client.ask(RESPONSES, { model: 'svc-echo', input: 'x', conversation: id })
      return id
    },
    act: (client, id) => client.hit(RESPONSES, { model: 'svc-echo', input: 'x', conversation: id }),
  },
  'the items of a conversation': {
    prepare: client => conversation(client, client.isPublic ? 10 * KIB : 100 * KIB, 6),
    act: (client, id) => client.hit(`/openai/v1/conversations/${id}/items?limit=100`),
  },
  'a chain of echoed interactions': {
    prepare: client => doubled(client, INTERACTIONS, 'previous_interaction_id'),
    act: (client, id) => client.hit(INTERACTIONS, { model: 'svc-echo', input: 'x', previous_interaction_id: id }),
  },
  'batches of eight choices, OpenAI': {
    act: async client => download(client, await runBatch(client)),
  },
  'batches that a rule of the session answers': {
    mayBeForgotten: true,
    async act(client) {
      await addRule(client)
      return download(client, await runBatch(client))
    },
  },
  'batches, Anthropic': {
    async act(client) {
      const content = words(client.isPublic ? 4 * KIB : 16 * KIB)
      const params = { model: 'svc-echo', max_tokens: 1e6, messages: [{ role: 'user', content }] }
      const requests = times(client.isPublic ? 50 : 60, at => ({ custom_id: `c${at}`, params }))
      const batches = '/anthropic/v1/messages/batches'
      const { json } = await client.ask(batches, { requests }, { 'x-svc-batch': '300ms' })
      await sleep(350)
      return client.hit(`${batches}/${json.id}/results`)
    },
  },
  'batches of eight candidates, Gemini': {
    async act(client) {
      const request = { contents: [{ parts: [{ text: words(4 * KIB) }] }], generationConfig: { candidateCount: 8 } }
      const requests = times(client.isPublic ? 50 : 60, () => ({ request }))
      const batch = { displayName: 'x', inputConfig: { requests: { requests } } }
      const path = '/gemini/v1beta/models/svc-echo:batchGenerateContent'
      const { json } = await client.ask(path, { batch }, { 'x-svc-batch': '300ms' })
      await sleep(350)
      return client.hit(`/gemini/v1beta/${json.name}`)
    },
  },
  'histories of realtime sockets': {
    async act({ server, isPublic, session }, _, t) {
      const socket = await connectJson(t, `${server.url}/ai/openai/v1/realtime?model=svc-echo`, {
        headers: { ...HEADERS, 'x-svc-session': session },
      })
      const content = [{ type: 'input_text', text: words(isPublic ? 40 * KIB : 240 * KIB) }]
      for (let item = 0; item < 6; item++)
        socket.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
      const response = { output_modalities: ['text'], max_output_tokens: 20 }
      await turns(socket, () => ({ type: 'response.create', response }))
    },
  },
  'histories of Live sockets': {
    async act({ server, isPublic, session }, _, t) {
      const socket = await connectJson(t, `${server.url}/ai/gemini${LIVE}`, {
        headers: { ...HEADERS, 'x-svc-session': session },
      })
      const generationConfig = { responseModalities: ['TEXT'], maxOutputTokens: 20 }
      socket.send({ setup: { model: 'models/svc-echo', generationConfig, sessionResumption: {} } })
      const parts = [{ text: words(isPublic ? 40 * KIB : 240 * KIB) }]
      await turns(socket, () => ({ clientContent: { turns: [{ role: 'user', parts }], turnComplete: true } }))
    },
  },
  'histories of Responses sockets': {
    async act({ server, isPublic, session }, _, t) {
      const socket = await connectJson(t, `${server.url}/ai${RESPONSES}`, {
        headers: { ...HEADERS, 'x-svc-session': session },
      })
      const input = words(isPublic ? 40 * KIB : 240 * KIB)
      await turns(socket, last => ({
        type: 'response.create',
        model: 'svc-echo',
        store: false,
        max_output_tokens: 20,
        input,
        previous_response_id: last,
      }))
    },
  },
  'background responses': {
    prepare: client => background(client, RESPONSES),
    act: (client, id) => client.hit(`${RESPONSES}/${id}`),
  },
  'streams of background responses': {
    prepare: client => background(client, RESPONSES),
    act: (client, id) =>
      client.hit(`${RESPONSES}/${id}?stream=true&starting_after=${client.isPublic ? 50_000 : 130_000}`),
  },
  'background interactions': {
    prepare: client => background(client, INTERACTIONS),
    act: (client, id) => client.hit(`${INTERACTIONS}/${id}`),
  },
  'downloads of the output of a batch': {
    async prepare(client) {
      await addRule(client)
      return runBatch(client)
    },
    act: download,
  },
}

function download(client: Client, file: string): Promise<Answer> {
  return client.hit(`/openai/v1/files/${file}/content`)
}

async function background(client: Client, path: string): Promise<string> {
  const body = { model: 'svc-echo', background: true, input: words(client.isPublic ? 150 * KIB : 400 * KIB) }
  const { json } = await client.ask(path, body, { 'x-svc-tokens-per-second': '100000' })
  return json.id
}

function clientOf(server: AttackedServer, { session, isPublic }: { session: string; isPublic: boolean }): Client {
  const headersOf = (more: Record<string, string> = {}) => ({ ...HEADERS, 'x-svc-session': session, ...more })
  return {
    server,
    isPublic,
    session,
    async ask(path, body, headers) {
      const answer = await fetch(`${server.url}/ai${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: headersOf(headers),
        body: body && JSON.stringify(body),
      })
      const text = await answer.text()
      return { status: answer.status, text, json: JSON.parse(text) }
    },
    hit: (path, body, headers) =>
      attackWith(`${server.url}/ai${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: headersOf(headers),
        body: body && JSON.stringify(body),
      }),
  }
}

for (const isPublic of [false, true]) {
  t.test(`in ${isPublic ? 'public' : 'default'} mode [HARD-30]`, { timeout: 600_000 }, async t => {
    const server = await attackedServer(t, { isPublic })
    const limit = (isPublic ? 1 : 16) * MIB
    await warmUp(clientOf(server, { session: 'warm-up', isPublic }))
    for (const [name, { prepare, mayBeForgotten = false, act }] of Object.entries(ATTACKS)) {
      if (CHOSEN !== undefined && !name.includes(CHOSEN)) continue
      const sessionOf = (index: number): string => digest(prepare === undefined ? `${name} ${index}` : name)
      const client = clientOf(server, { session: sessionOf(0), isPublic })
      const prepared = (await prepare?.(client)) ?? ''
      const cost = await server.attack(TIMES, index =>
        act(clientOf(server, { session: sessionOf(index), isPublic }), prepared, t),
      )
      const { grownMib, slowestWaitMs, cpuMs, exit, results } = cost
      const shown = `${name}: +${grownMib} MiB, waited ${slowestWaitMs} ms of ${cpuMs} ms`
      if (process.env.SVC_TEST_COSTS !== undefined) t.comment(shown)
      t.equal(exit, null, `${name}: the process lives`)
      t.ok(grownMib < 64, shown)
      t.ok(slowestWaitMs < 250, shown)
      for (const result of results) {
        if (result.status === 'rejected') t.fail(`${name}: ${String(result.reason)}`)
        else if (result.value !== undefined && !(mayBeForgotten && result.value.status === 404))
          checkAnswer(t, name, result.value, limit)
      }
    }
  })
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** An answer within the output budget, or a refusal that names it. */
function checkAnswer(t: Test, name: string, { status, bytes, text }: Answer, limit: number): void {
  if (status === 200) t.ok(bytes <= limit, `${name}: ${bytes} bytes`)
  else t.match(`${status} ${text}`, /^(400|503) .*SVC_BUDGET_(OUTPUT|MEMORY)_BYTES/s, name)
}

/** Code is compiled, a tokenizer is read, the store of documents is full, and the heap has the size of ordinary traffic. */
async function warmUp(client: Client): Promise<void> {
  const { hit } = client
  await hit(`${RESPONSES}/input_tokens`, { model: 'svc-gpt', input: 'x' }, TOKENIZER)
  await addRule(client)
  for (let batch = 0; batch < 5; batch++) await runBatch(client)
  const content = words(20 * KIB)
  for (let round = 0; round < 20; round++) {
    await hit(RESPONSES, { model: 'svc-echo', input: content })
    await hit(INTERACTIONS, { model: 'svc-echo', input: content })
    await hit('/openai/v1/chat/completions', { model: 'svc-echo', n: 8, messages: [{ role: 'user', content }] })
    await hit('/anthropic/v1/messages', { model: 'svc-echo', max_tokens: 1e6, messages: [{ role: 'user', content }] })
  }
}
