/** OpenAI's Agents SDK as a judge of Realtime: sessions in text and speech, a tool, and interruptions. */
import t from 'tap'
import {
  OpenAIRealtimeWebSocket,
  RealtimeAgent,
  RealtimeSession,
  tool,
  type RealtimeItem,
} from '@openai/agents-realtime'
import { WebSocket } from 'ws'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_AI_REQUIRE_AUTH: 'true' } })
const target = `${server.url.replace('http', 'ws')}/ai/openai/v1/realtime?model=svc-echo`
const MS_SAMPLES = 24
const FAST = { 'X-Svc-Tokens-Per-Second': '0' }
const SLOW = { 'X-Svc-TTFT-Ms': '0', 'X-Svc-Tokens-Per-Second': '20' }

const sound = (ms: number, sample: number): ArrayBuffer => new Int16Array(MS_SAMPLES * ms).fill(sample).buffer
const textOf = (item: RealtimeItem | undefined): string | null | undefined => {
  if (item?.type !== 'message') return undefined
  const [part] = item.content
  return part === undefined ? undefined : 'text' in part ? part.text : part.transcript
}

interface Opened {
  session: RealtimeSession
  rings: number[]
}

async function open(
  t: { teardown(callback: () => void): void },
  { modality, headers }: { modality: 'text' | 'audio'; headers: Record<string, string> },
): Promise<Opened> {
  const rings: number[] = []
  const ring = tool({
    name: 'ring',
    description: 'Rings a bell',
    strict: false,
    parameters: { type: 'object', properties: { times: { type: 'number' } }, required: [], additionalProperties: true },
    async execute(input) {
      const { times } = input as { times: number }
      rings.push(times)
      return `rang ${times} times`
    },
  })
  const transport = new OpenAIRealtimeWebSocket({
    // Only the factory of the socket can add headers.
    createWebSocket: async ({ apiKey }) =>
      new WebSocket(target, { headers: { Authorization: `Bearer ${apiKey}`, ...headers } }) as never,
  })
  const session = new RealtimeSession(new RealtimeAgent({ name: 'bell', tools: [ring] }), {
    transport,
    model: 'svc-echo',
    config: { outputModalities: [modality] },
  })
  t.teardown(() => session.close())
  session.on('error', ({ error }) => t.teardown(() => Promise.reject(new Error(JSON.stringify(error)))))
  await session.connect({ apiKey: 'sk-demo-1234' })
  return { session, rings }
}

/** The reply of the next turn. */
const nextReply = (session: RealtimeSession): Promise<string> =>
  new Promise(resolve => session.once('agent_end', (_context, _agent, output) => resolve(output)))

/** Resolves when the history is as wanted. */
function whenHistory(
  session: RealtimeSession,
  isWanted: (history: RealtimeItem[]) => boolean,
): Promise<RealtimeItem[]> {
  return new Promise(resolve => {
    const look = (): void => {
      if (isWanted(session.history)) resolve(session.history)
    }
    session.on('history_updated', look)
    look()
  })
}

t.test('the default transport opens a session with a client secret [LLMN-180] [LLMN-186]', async t => {
  const response = await fetch(`${server.url}/ai/openai/v1/realtime/client_secrets`, {
    method: 'POST',
    headers: { Authorization: 'Bearer sk-demo-1234' },
    body: '{"session":{"type":"realtime","model":"svc-echo"}}',
  })
  const { value } = (await response.json()) as { value: string }
  const session = new RealtimeSession(new RealtimeAgent({ name: 'echo' }), {
    transport: 'websocket',
    model: 'svc-echo',
    config: { outputModalities: ['text'] },
  })
  t.teardown(() => session.close())
  await session.connect({ apiKey: value, url: target })
  session.sendMessage('hello')
  t.match(await nextReply(session), /user: hello$/)
})

t.test('a turn in text, and one in speech, with its usage [LLMN-182] [LLMN-183]', async t => {
  const text = await open(t, { modality: 'text', headers: FAST })
  text.session.sendMessage('hello')
  t.match(await nextReply(text.session), /user: hello$/)
  const { session } = await open(t, { modality: 'audio', headers: FAST })
  let bytes = 0
  session.on('audio', ({ data }) => {
    bytes += data.byteLength
  })
  session.sendAudio(sound(600, 8000))
  session.sendAudio(sound(700, 0))
  t.match(await nextReply(session), /Spoken input of 1100 ms\.$/)
  t.ok(bytes > 0 && bytes % (2 * MS_SAMPLES * 80) === 0, 'pieces of 80 ms')
  const [spoken, reply] = await whenHistory(session, history => history.length === 2)
  t.equal(textOf(spoken), 'Spoken input of 1100 ms.')
  t.match(textOf(reply), /Spoken input/)
  t.match(session.usage, { requests: 1, inputTokensDetails: [{ audio_tokens: 11 }] })
})

t.test('a tool is called and its result answered [LLMN-182]', async t => {
  const headers = { ...FAST, 'X-Svc-Session': 'agents' }
  const then = { reply: { tool_calls: [{ name: 'ring', args: { times: 3 } }] } }
  const rule = await fetch(`${server.url}/_svc/rules/ring`, {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ match: { llm: { user: 'please ring', tool_result: false } }, then }),
  })
  t.ok(rule.ok, await rule.text())
  const { session, rings } = await open(t, { modality: 'text', headers })
  session.sendMessage('please ring')
  const history = await whenHistory(session, items => textOf(items[2])?.includes('rang 3 times') === true)
  t.same(rings, [3])
  t.match(history[1], { type: 'function_call', name: 'ring', status: 'completed', output: 'rang 3 times' })
})

t.test('a reply is interrupted by the client and by speech [LLMN-184]', async t => {
  const { session } = await open(t, { modality: 'audio', headers: SLOW })
  const interrupt = { client: () => session.interrupt(), speech: () => session.sendAudio(sound(300, 8000)) }
  for (const [by, act] of Object.entries(interrupt)) {
    const heard = new Promise(resolve => session.once('audio', resolve))
    const interrupted = new Promise(resolve => session.once('audio_interrupted', resolve))
    const isOver = new Promise<{ response: { status?: string } }>(resolve =>
      session.on('transport_event', event => {
        if (event.type === 'response.done') resolve(event as never)
      }),
    )
    session.sendMessage('a long story '.repeat(20))
    await heard
    act()
    await interrupted
    t.equal((await isOver).response.status, 'cancelled', by)
  }
  const replies = session.history.filter(item => item.type === 'message' && item.role === 'assistant')
  t.same(
    replies.map(item => 'status' in item && item.status),
    ['incomplete', 'incomplete'],
  )
})
