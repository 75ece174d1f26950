/** Conversations whose second turn needs what one of several deployments keeps. */
import { isRecord } from 'svc/toolkit'
import { fail, pass, skip, type PairContext } from '../../catalog/check.ts'
import type { ArrivalView, Call, Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec, ExchangeRecord } from '../../client/exchange.ts'
import { connectionOf, replyStep, type ModelCall } from '../../pairs/model-calls.ts'
import { modelsCheck, type Models } from '../../pairs/models-check.ts'
import { receivedAnswer } from '../../pairs/wire-requests.ts'
import type { Reply, Request, Turn, Wire } from '../../wires/types.ts'
import { wireOf } from '../../wires/wires.ts'
import { parsed } from './chat.ts'
import { question } from './model-scenes.ts'

/** Loops of each kind: a gateway that chooses at random is found in nearly all runs. */
const LOOPS = 6
/** Clocks of the halves may differ by this much. */
const CLOCK_MS = 50
const KEYS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

interface Kind {
  id: string
  client: string
  first: Request
  /** What follows from the reply; null: it has not what the loop is about. */
  second(first: Request, reply: Reply): Request | null
  /** More members of the native requests. `reply`: that of the first turn. */
  members(reply: Reply | null): Record<string, unknown>
  /** Differs from loop to loop, so that no two of them share their state. */
  reply(loop: number): Record<string, unknown>
}

const THINKING: Request = question('Which number do I think of?', {
  params: { max_tokens: 30_000 },
  thinking: { effort: 'medium', budget: null },
})
const AGAIN: Turn = { role: 'user', parts: [{ type: 'text', text: 'And now?' }] }
const reasoned = (loop: number): Record<string, unknown> => ({
  blocks: [{ reasoning: `It must be larger than ${loop}.` }, { text: 'Seven.' }],
})

/** The whole conversation, with the reply as it came. */
const continued = (first: Request, { parts, native }: Reply): Request => ({
  ...first,
  turns: [...first.turns, { role: 'assistant', parts, native }, AGAIN],
})
const hasSignature = ({ parts }: Reply): boolean =>
  parts.some(part => part.type === 'thinking' && part.signature !== null)

const KINDS: readonly Kind[] = [
  {
    id: 'previous_response_id',
    client: 'responses',
    first: question('Which number do I think of?'),
    second: (first, { id }) => (id === null ? null : { ...first, turns: [AGAIN] }),
    members: reply => ({ store: true, ...(reply === null ? {} : { previous_response_id: reply.id }) }),
    reply: () => ({ text: 'Seven.' }),
  },
  {
    id: 'encrypted_content',
    client: 'responses',
    first: THINKING,
    second: (first, reply) => (hasSignature(reply) ? continued(first, reply) : null),
    members: () => ({}),
    reply: reasoned,
  },
  {
    id: 'signature',
    client: 'messages',
    first: THINKING,
    second: (first, reply) => (hasSignature(reply) ? continued(first, reply) : null),
    members: () => ({}),
    reply: reasoned,
  },
]

const labelOf = (kind: Kind, loop: number, turn: 1 | 2): string => `${kind.id} ${loop + 1} turn ${turn}`

/** The client wire of the kind with the model that has several deployments; null: the gateway has none. */
function contextOf({ client }: Kind, { clients, settings: { replicas } }: Models): PairContext | null {
  const found = clients.find(({ pair }) => pair.client.id === client)
  return found === undefined ? null : { ...found, pair: { ...found.pair, model: replicas! } }
}

function turnOf(kind: Kind, context: PairContext, loop: number, reply: Reply | null): ModelCall | null {
  const request = reply === null ? kind.first : kind.second(kind.first, reply)
  if (request === null) return null
  const { client } = context.pair
  const write: Wire['writeRequest'] = (given, options) => {
    const written = client.writeRequest(given, options)
    const body = { ...parsed(written.body.toString('utf8')), ...kind.members(reply) }
    return { ...written, body: Buffer.from(JSON.stringify(body)) }
  }
  return {
    label: labelOf(kind, loop, reply === null ? 1 : 2),
    context: { ...context, pair: { ...context.pair, client: { ...client, writeRequest: write } } },
    request,
    mode: 'plain',
    step: replyStep(kind.reply(loop)),
    // A gateway that keeps the conversation sends the first turn again, with its marker.
    ...(reply === null ? {} : { sameAs: labelOf(kind, loop, 1) }),
  }
}

/** The kinds that the gateway has client wires for. */
function kindsOf(models: Models): { kind: Kind; context: PairContext }[] {
  return KINDS.flatMap(kind => {
    const context = contextOf(kind, models)
    return context === null ? [] : [{ kind, context }]
  })
}

function replyOf(record: ExchangeRecord, { client }: PairContext['pair']): Reply | null {
  const answer = receivedAnswer(record.calls[0]?.response ?? null)
  return answer === null || answer.status >= 300 ? null : client.readReply(answer)
}

/** All turns in order, so that a gateway that uses its deployments in turn is found. */
function nextTurn(models: Models, records: readonly ExchangeRecord[]): ConnectionSpec | null {
  const byLabel = new Map(records.map(record => [record.calls[0]?.spec.label ?? '', record]))
  for (const { kind, context } of kindsOf(models))
    for (let loop = 0; loop < LOOPS; loop++) {
      const first = byLabel.get(labelOf(kind, loop, 1))
      if (first === undefined) return connectionOf(turnOf(kind, context, loop, null)!)
      if (byLabel.has(labelOf(kind, loop, 2))) continue
      const reply = replyOf(first, context.pair)
      const next = reply === null ? null : turnOf(kind, context, loop, reply)
      if (next !== null) return connectionOf(next)
    }
  return null
}

/** By what deployments differ: credential, path and model. */
function deploymentOf(arrival: ArrivalView): string {
  const { model } = parsed(arrival.content.toString('utf8')) ?? {}
  return JSON.stringify([KEYS.map(name => arrival.values(name).join()), arrival.target.split('?', 1)[0], model ?? null])
}

/** What of the request only the deployment that wrote it can read; null: it carries all that it needs. */
function neededState(arrival: ArrivalView): string | null {
  const body = parsed(arrival.content.toString('utf8')) ?? {}
  if (typeof body.previous_response_id === 'string') return 'previous_response_id'
  const items: unknown[] = Array.isArray(body.input) ? body.input : []
  return items.some(item => isRecord(item) && typeof item.encrypted_content === 'string') ? 'encrypted_content' : null
}

interface Loop {
  kind: string
  /** Deployments of the turns. */
  first: string
  second: string
  needs: string | null
}

/** The turns have one marker, so time separates their arrivals. */
function loopOf(
  evidence: Evidence,
  { kind, context: { wires } }: ReturnType<typeof kindsOf>[number],
  loop: number,
): Loop[] {
  const callOf = (turn: 1 | 2): Call | undefined =>
    evidence.calls.find(({ label }) => label === labelOf(kind, loop, turn))
  const turn = callOf(2)
  if (turn === undefined) return []
  const arrivals = turn.arrivals.filter(({ method, target }) => wireOf(wires, method, target)?.operation === 'generate')
  const startedMs = turn.record.sentAtMs - CLOCK_MS
  // A turn that was answered had an arrival, however fast it was.
  const first = arrivals.findLast(({ record }) => record.head_at_ms < startedMs) ?? arrivals[0]
  const second = arrivals.slice(1).findLast(({ record }) => record.head_at_ms >= startedMs)
  if (first === undefined || second === undefined) return []
  return [{ kind: kind.id, first: deploymentOf(first), second: deploymentOf(second), needs: neededState(second) }]
}

export const LLM_AFFINITY = modelsCheck({
  id: 'LLM-AFFINITY',
  title: 'State returns to its deployment',
  group: 'llm',
  level: 'integrity',
  when: { noDirect: true },
  reasonWithout(models) {
    if (models.settings.replicas === null) return 'not in --routes: llm.replicas'
    return kindsOf(models).length === 0 ? 'no client wire of the Responses or the Messages API' : null
  },
  page: {
    sent: `Conversations of two turns with the model of \`llm.replicas\`, ${LOOPS} of each kind: Responses with \`previous_response_id\`, Responses with \`encrypted_content\`, and Messages with signed thinking.`,
    expected:
      'The second turn reaches the deployment of the first one, or carries all that any deployment needs: signed thinking of the Messages API does.',
    why: 'A deployment with another key does not know the response, and cannot decrypt its reasoning: the second turn fails, but only sometimes.',
    seen: ['BerriAI/litellm#29733'],
  },
  plan: models => ({
    inOrder: true,
    connections: [nextTurn(models, [])!],
    maxFollowed: 2 * KINDS.length * LOOPS,
    follow: records => nextTurn(models, records),
  }),
  judge(evidence, models) {
    if (evidence.calls.every(({ count }) => count === 0))
      return skip(`not routed: ${evidence.first.status ?? 'closed'}`)
    const loops = kindsOf(models).flatMap(one =>
      Array.from({ length: LOOPS }, (_, loop) => loopOf(evidence, one, loop)).flat(),
    )
    if (loops.length === 0) return skip('no second turn arrives')
    const deployments = new Set(loops.flatMap(({ first, second }) => [first, second]))
    if (deployments.size < 2) return skip('only one deployment was seen')
    const found = KINDS.flatMap(({ id }) => {
      const own = loops.filter(({ kind }) => kind === id)
      const lost = own.filter(({ first, second, needs }) => needs !== null && first !== second)
      return own.length === 0 ? [] : [{ id, loops: own.length, lost: lost.length, needs: lost[0]?.needs ?? null }]
    })
    const values = { deployments: deployments.size, kinds: found }
    const wrong = found.filter(({ lost }) => lost > 0)
    if (wrong.length === 0) return pass('', values)
    const texts = wrong.map(({ id, lost, loops: all, needs }) => `${id}: ${lost} of ${all} (needs ${needs})`)
    return fail(`second turns reach a deployment without the state that they need: ${texts.join(', ')}`, values)
  },
})
