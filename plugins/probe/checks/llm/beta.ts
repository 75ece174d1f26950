/** What gateways do with parts of requests that are newer than they are. */
import { isRecord } from 'svc/toolkit'
import { pass, skip, warn, type Check, type PairContext } from '../../catalog/check.ts'
import { connectionOf, exchangeOf, replyStep, type ModelCall } from '../../pairs/model-calls.ts'
import { nameOfPair } from '../../pairs/pair.ts'
import { question } from './model-scenes.ts'

/** A feature that all models of the vendor take. */
const BETA = 'extended-cache-ttl-2025-04-11'
const MEMBER = 'x_probe_member'

const hasBeta = ({ pair: { client } }: PairContext): boolean => client.id === 'messages'

function newCall(context: PairContext): ModelCall {
  const request = question('Say yes.')
  const { client } = context.pair
  const write: typeof client.writeRequest = (given, options) => {
    const written = client.writeRequest(given, options)
    const body = { ...(JSON.parse(written.body.toString('utf8')) as object), [MEMBER]: 'kept' }
    const fields = hasBeta(context) ? [...written.fields, ['anthropic-beta', BETA] as const] : written.fields
    return { ...written, fields, body: Buffer.from(JSON.stringify(body)) }
  }
  const pair = { ...context.pair, client: { ...client, writeRequest: write } }
  return { label: 'new', context: { ...context, pair }, request, mode: 'plain', step: replyStep({ text: 'Yes.' }) }
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
    sent: 'A request with a member that no vendor has and, on the wire of Anthropic, a beta feature, where both sides are of one wire.',
    expected: 'Both arrive.',
    why: 'Without it, what a vendor added yesterday works only after the gateway is updated, and no error says so.',
    seen: ['agentgateway/agentgateway#1777', 'envoyproxy/ai-gateway#2411'],
  },
  plan: () => ({ connections: [] }),
  judge: () => skip('no pair of wires'),
  forPair(context) {
    const { forPair: _made, ...own } = LLM_BETA
    const isSameWire = context.pair.client.id === context.pair.upstream.id
    return {
      ...own,
      pair: nameOfPair(context.pair),
      plan: () => ({ connections: isSameWire ? [connectionOf(newCall(context))] : [] }),
      judge(evidence) {
        if (!isSameWire) return skip('the upstream has another wire')
        const arrival = exchangeOf(evidence, newCall(context)).arrivals.at(-1)
        const { status } = evidence.first
        if (arrival === undefined) return warn(`a request with a new member is refused: ${status ?? 'closed'}`)
        const dropped: string[] = []
        const body = parsed(arrival.native.body)
        if (!isRecord(body) || body[MEMBER] !== 'kept') dropped.push(`the member ${MEMBER}`)
        const betas = arrival.native.fields.filter(([name]) => name.toLowerCase() === 'anthropic-beta')
        if (hasBeta(context) && !betas.some(([, value]) => value.includes(BETA))) dropped.push(`the beta ${BETA}`)
        return dropped.length > 0 ? warn(`dropped: ${dropped.join(', ')}`) : pass()
      },
    }
  },
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
