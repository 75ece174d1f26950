/** What gateways do with parts of requests that are newer than they are. */
import { isRecord } from 'svc/toolkit'
import { fail, pass, skip, warn, worst, type Check, type PairContext, type Verdict } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import { connectionOf, exchangeOf, replyStep, type ModelCall } from '../../pairs/model-calls.ts'
import { nameOfPair } from '../../pairs/pair.ts'
import type { WireRequest } from '../../wires/types.ts'
import { question } from './model-scenes.ts'

const MEMBER = 'x_probe_member'

/** One request. */
interface Novelty {
  label: string
  /** A feature in `anthropic-beta`. */
  beta?: string
  /** The flavour of the upstream refuses the feature, so that it must not arrive. */
  isRefused?: true
  /** A member of the body that no vendor has. */
  hasMember?: true
}

const WITH_MEMBER: Novelty = { label: 'new', hasMember: true }
/** By pair: features that all Claude models take there, and one that only the vendor's own API has (its connector for MCP). */
const OF_PAIRS: Readonly<Record<string, readonly Novelty[]>> = {
  'messages:messages': [{ ...WITH_MEMBER, beta: 'extended-cache-ttl-2025-04-11' }],
  'messages:converse': [
    { label: 'taken', beta: 'interleaved-thinking-2025-05-14' },
    { label: 'refused', beta: 'mcp-client-2025-11-20', isRefused: true },
  ],
}

function noveltiesOf({ pair }: PairContext): readonly Novelty[] {
  return OF_PAIRS[nameOfPair(pair)] ?? (pair.client.id === pair.upstream.id ? [WITH_MEMBER] : [])
}

function callOf(context: PairContext, { label, beta, hasMember }: Novelty): ModelCall {
  const { client } = context.pair
  const write: typeof client.writeRequest = (given, options) => {
    const written = client.writeRequest(given, options)
    const fields = beta === undefined ? written.fields : [...written.fields, ['anthropic-beta', beta] as const]
    if (hasMember !== true) return { ...written, fields }
    const body = { ...(JSON.parse(written.body.toString('utf8')) as object), [MEMBER]: 'kept' }
    return { ...written, fields, body: Buffer.from(JSON.stringify(body)) }
  }
  const pair = { ...context.pair, client: { ...client, writeRequest: write } }
  const step = replyStep({ text: 'Yes.' })
  return { label, context: { ...context, pair }, request: question('Say yes.'), mode: 'plain', step }
}

export const LLM_BETA: Check = {
  id: 'LLM-BETA',
  title: 'Beta features and new members',
  group: 'llm',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: { pairs: true, judgesRefusal: true },
  page: {
    sent: 'Where both sides have one wire, a request with a member that no vendor has. With `anthropic-beta`: to Anthropic a feature that it has, to Bedrock one that it takes and one that it refuses.',
    expected:
      'What the upstream takes arrives, in Bedrock as `anthropic_beta` in `additionalModelRequestFields`; what it refuses does not.',
    why: 'Without it, what a vendor added yesterday works only after the gateway is updated, and no error says so. A feature that the vendor refuses fails every request of the client.',
    seen: ['agentgateway/agentgateway#1777', 'envoyproxy/ai-gateway#2411'],
  },
  plan: () => ({ connections: [] }),
  judge: () => skip('no pair of wires'),
  forPair(context) {
    const { forPair: _made, ...own } = LLM_BETA
    const novelties = noveltiesOf(context)
    return {
      ...own,
      pair: nameOfPair(context.pair),
      plan: () => ({ connections: novelties.map(novelty => connectionOf(callOf(context, novelty))) }),
      judge: evidence =>
        novelties.length === 0
          ? skip('the upstream has another wire')
          : worst(novelties.map(novelty => judged(evidence, context, novelty))),
    }
  },
}

function judged(evidence: Evidence, context: PairContext, novelty: Novelty): Verdict {
  const { label, beta, isRefused, hasMember } = novelty
  const arrival = exchangeOf(evidence, callOf(context, novelty)).arrivals.at(-1)
  if (arrival === undefined) {
    // The gateway may say itself what the vendor would have said.
    if (isRefused === true) return pass()
    const what = hasMember === true ? 'a request with a new member' : `a request with the beta ${beta}`
    return warn(`${what} is refused: ${evidence.call(label).status ?? 'closed'}`)
  }
  const body = parsed(arrival.native.body)
  const hasBeta = beta !== undefined && betasOf(arrival.native, body, context).includes(beta)
  if (isRefused === true) return hasBeta ? fail(`passes the beta ${beta}, which the upstream refuses`) : pass()
  const dropped: string[] = []
  if (hasMember === true && (!isRecord(body) || body[MEMBER] !== 'kept')) dropped.push(`the member ${MEMBER}`)
  if (beta !== undefined && !hasBeta) dropped.push(`the beta ${beta}`)
  return dropped.length > 0 ? warn(`dropped: ${dropped.join(', ')}`) : pass()
}

/** Converse takes them in the body, and ignores the field. */
function betasOf({ fields }: WireRequest, body: unknown, { pair }: PairContext): unknown[] {
  if (pair.upstream.id !== 'converse')
    return fields
      .filter(([name]) => name.toLowerCase() === 'anthropic-beta')
      .flatMap(([, value]) => value.split(',').map(one => one.trim()))
  const more = isRecord(body) ? body.additionalModelRequestFields : null
  const betas = isRecord(more) ? more.anthropic_beta : null
  return Array.isArray(betas) ? betas : []
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
