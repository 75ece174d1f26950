/** The ledger equals what a client counted over a mixed run with faults, cancellations and retries. */
import t from 'tap'
import { Agent, request } from 'node:http'
import { formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'
import { settledUsage, type UsageRow } from '../../support/llm-usage.ts'

/** `SVC_LEDGER_CALLS=10000` runs the whole proof. */
const CALLS = Number(process.env.SVC_LEDGER_CALLS ?? 2000)
const AT_ONCE = 24
const PROMPTS = ['hello', 'what is the weather like in a small town?', 'write a poem about lorem and the sea']
/** Formats whose events have one token each, so that a client can count what it received. */
const counted = formats.filter(({ id }) => id !== 'gemini')

type Figures = Pick<
  UsageRow,
  | 'requests'
  | 'ok'
  | 'errors'
  | 'faults'
  | 'retries'
  | 'streams'
  | 'streams_cut'
  | 'prompt_tokens'
  | 'completion_tokens'
>

const server = await serveLlm(t, { env: { SVC_INSPECTOR_CAPACITY: '10' } })
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

interface Answer {
  status: number
  bytes: Buffer
}

const UNPACED = { 'X-Svc-Tokens-Per-Second': '0' }

/** Sends a request; `enough` ends it early, as a client that cancels does. */
function send(
  format: LlmFormat,
  text: string,
  { stream = false, headers = {}, enough }: { stream?: boolean; headers?: object; enough?: (bytes: Buffer) => boolean },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      server.url + format.path(stream),
      { method: 'POST', agent, headers: { ...('X-Svc-Profile' in headers ? {} : UNPACED), ...headers } },
      answer => {
        const chunks: Buffer[] = []
        const done = (): void => resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(chunks) })
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          if (enough?.(Buffer.concat(chunks)) === true) {
            done()
            call.destroy()
          }
        })
        answer.on('end', done)
        answer.on('error', done)
      },
    )
    call.on('error', error => (enough === undefined ? reject(error) : resolve({ status: 0, bytes: Buffer.alloc(0) })))
    call.end(JSON.stringify(format.body(text, stream)))
  })
}

/** Prompt and completion tokens of each format and prompt, from the usage of a complete reply. */
const known = new Map<string, { prompt: number; completion: number }>()
const usageNames: Record<string, (reply: never) => [number, number]> = {
  openai: (reply: { usage: { prompt_tokens: number; completion_tokens: number } }) => [
    reply.usage.prompt_tokens,
    reply.usage.completion_tokens,
  ],
  anthropic: (reply: { usage: { input_tokens: number; output_tokens: number } }) => [
    reply.usage.input_tokens,
    reply.usage.output_tokens,
  ],
  bedrock: (reply: { usage: { inputTokens: number; outputTokens: number } }) => [
    reply.usage.inputTokens,
    reply.usage.outputTokens,
  ],
  ollama: (reply: { prompt_eval_count: number; eval_count: number }) => [reply.prompt_eval_count, reply.eval_count],
  cohere: (reply: { usage: { tokens: { input_tokens: number; output_tokens: number } } }) => [
    reply.usage.tokens.input_tokens,
    reply.usage.tokens.output_tokens,
  ],
}
for (const format of counted) {
  for (const text of PROMPTS) {
    const { bytes } = await send(format, text, {})
    const read = usageNames[format.id] ?? usageNames.openai!
    const [prompt, completion] = read(JSON.parse(bytes.toString()) as never)
    known.set(`${format.id} ${text}`, { prompt, completion })
  }
}
await fetch(`${server.url}/_svc/reset?scope=instance`, { method: 'POST', body: '{"kinds":["usage"]}' })

const client = new Map<string, Figures>()

function enter(format: LlmFormat, figures: Partial<Figures>): void {
  const sums = client.get(format.id) ?? {
    requests: 0,
    ok: 0,
    errors: 0,
    faults: 0,
    retries: 0,
    streams: 0,
    streams_cut: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
  }
  sums.requests += 1
  for (const name of Object.keys(figures) as (keyof Figures)[]) sums[name] += figures[name]!
  client.set(format.id, sums)
}

type Step = (format: LlmFormat, text: string, index: number) => Promise<void>

const whole: Step = async (format, text) => {
  const { prompt, completion } = known.get(`${format.id} ${text}`)!
  await send(format, text, {})
  enter(format, { ok: 1, prompt_tokens: prompt, completion_tokens: completion })
}
const streamed: Step = async (format, text) => {
  const { bytes } = await send(format, text, { stream: true })
  const { prompt } = known.get(`${format.id} ${text}`)!
  enter(format, { ok: 1, streams: 1, prompt_tokens: prompt, completion_tokens: receivedTokens(format, bytes) })
}
const limitedTwice: Step = async (format, text, index) => {
  const { prompt, completion } = known.get(`${format.id} ${text}`)!
  for (const attempt of [0, 1, 2]) {
    const isLast = attempt === 2
    const { status } = await send(format, text, {
      headers: { 'X-Request-Id': `retry-${index}`, ...(isLast ? {} : { 'X-Svc-Fail': 'rate_limit' }) },
    })
    const isOk = status === 200
    enter(format, {
      ...(isOk ? { ok: 1, prompt_tokens: prompt, completion_tokens: completion } : { errors: 1, faults: 1 }),
      retries: attempt > 0 ? 1 : 0,
    })
  }
}
const broken: Step = async (format, text, index) => {
  const fault = ['disconnect', 'stream_error'][index % 2]!
  const { bytes } = await send(format, text, { stream: true, headers: { 'X-Svc-Fail': `${fault}@${(index % 5) + 1}` } })
  const { prompt } = known.get(`${format.id} ${text}`)!
  enter(format, {
    ok: 1,
    faults: 1,
    streams: 1,
    streams_cut: 1,
    prompt_tokens: prompt,
    completion_tokens: receivedTokens(format, bytes),
  })
}
/** Cancels after the first of two tokens; the second would come after a minute. */
const cancelled: Step = async (format, text) => {
  const { bytes } = await send(format, text, {
    stream: true,
    headers: { 'X-Svc-Reply': 'one two', 'X-Svc-Profile': 'ttft=0; gap=60000' },
    enough: sofar => receivedTokens(format, sofar) > 0,
  })
  const { prompt } = known.get(`${format.id} ${text}`)!
  enter(format, {
    ok: 1,
    streams: 1,
    streams_cut: 1,
    prompt_tokens: prompt,
    completion_tokens: receivedTokens(format, bytes),
  })
}

/** The tokens in the complete events; the end of the bytes may be cut. */
function receivedTokens(format: LlmFormat, bytes: Buffer): number {
  return format.pieces(bytes).filter(piece => piece !== '').length
}

/** Of twelve calls: complete replies, streams, a retried call of three, a broken stream, a cancelled one. */
const plan: Step[] = [whole, streamed, whole, limitedTwice, broken, streamed, whole, cancelled, whole, streamed]
/** Calls of one round of the plan. */
const PER_ROUND = plan.length + 2

t.test('the ledger equals what a client counted over a mixed run, to the token [LLMN-1, LLMN-3]', async t => {
  const steps = Math.ceil(CALLS / PER_ROUND) * plan.length
  let next = 0
  const work = async (): Promise<void> => {
    while (next < steps) {
      const index = next++
      const round = Math.floor(index / plan.length)
      const format = counted[(index + round) % counted.length]!
      await plan[index % plan.length]!(format, PROMPTS[(index + round) % PROMPTS.length]!, index)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  agent.destroy()
  const { rows, totals, dropped } = await settledUsage(server.url, '?group=provider')
  t.ok(totals.requests >= CALLS, `${totals.requests} calls`)
  t.equal(dropped, 0)
  t.ok([totals.streams_cut, totals.retries, totals.faults].every(count => count > CALLS / 10))
  for (const { id } of counted) {
    const { provider, ...row } = rows.find(candidate => candidate.provider === id)!
    t.equal(provider, id)
    const own = client.get(id)!
    t.same(Object.fromEntries(Object.keys(own).map(name => [name, row[name]])), own, id)
  }
})
