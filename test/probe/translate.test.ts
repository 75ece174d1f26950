/** Checks of the group `translate`: a gateway that translates rightly has no finding, and each fault is found by its own check. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { TRANSLATE_CHECKS } from '../../plugins/probe/checks/translate/translate.ts'
import { readRoutes } from '../../plugins/probe/client/routes.ts'
import type { Part, Reply, Request } from '../../plugins/probe/wires/types.ts'
import { startToyGateway, type GatewayFault } from './ai-gateways/toy-gateway.ts'
import { probeThrough } from './probe-through.ts'

const MODELS = { gpt: 'chat', claude: 'messages', gem: 'gemini', bed: 'converse', resp: 'responses' }

async function findings(t: Test, fault: GatewayFault, models: Record<string, string>): Promise<string[]> {
  const server = await launch()
  t.teardown(() => server.stop())
  const toy = await startToyGateway({ upstream: server.url, models, fault })
  t.teardown(() => toy.close())
  const routes = readRoutes({ llm: { openai: '/openai/v1', anthropic: '/anthropic', wires: ['chat', 'messages'] } })
  if (typeof routes === 'string') throw new Error(routes)
  const { results } = await probeThrough(toy.url, server.url, { checks: [...TRANSLATE_CHECKS], routes })
  t.ok(results.filter(({ pair }) => pair !== null && pair !== undefined).length > 0)
  return results
    .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'note')
    .map(({ check, pair, verdict, summary, reason }) => `${check.id} ${pair ?? '-'} ${verdict} ${reason ?? summary}`)
}

t.test('a gateway that translates rightly has no finding in any pair', async t => {
  t.strictSame(await findings(t, {}, MODELS), [])
})

const ofTurns = (request: Request, change: (part: Part) => Part): Request => ({
  ...request,
  turns: request.turns.map(turn => ({ ...turn, parts: turn.parts.map(change) })),
})
const trimmed = (part: Part): Part => (part.type === 'text' ? { ...part, text: part.text.trim() } : part)
const withUsage = (reply: Reply, change: object): Reply => ({
  ...reply,
  usage: reply.usage === null ? null : { ...reply.usage, ...change },
})

const FAULTS: Readonly<Record<string, { fault: GatewayFault; id: string; summary: RegExp }>> = {
  'trims texts of requests': {
    fault: { request: request => ofTurns(request, trimmed) },
    id: 'TRN-TEXT',
    summary: /^request \/turns\/4\/parts\/0\/text is changed \(five-turns, plain\)/,
  },
  'loses a turn': {
    fault: { request: ({ turns, ...rest }) => ({ ...rest, turns: turns.length > 4 ? turns.slice(2) : turns }) },
    id: 'TRN-TEXT',
    summary: /^request \/turns\//,
  },
  'normalizes characters of replies': {
    fault: {
      reply: reply => ({
        ...reply,
        parts: reply.parts.map(part => (part.type === 'text' ? { ...part, text: part.text.normalize('NFC') } : part)),
      }),
    },
    id: 'TRN-TEXT',
    summary: /^reply \/parts\/0\/text is changed \(characters, plain\)/,
  },
  'loses the second call': {
    fault: {
      reply: reply => {
        const first = reply.parts.find(({ type }) => type === 'call')
        return { ...reply, parts: reply.parts.filter(part => part.type !== 'call' || part === first) }
      },
    },
    id: 'TRN-CALLS',
    summary: /^reply \/parts\/2 is lost \(text-and-two-calls, plain\)/,
  },
  'gives all calls of streams one id': {
    fault: {
      reply: (reply, isStream) => ({
        ...reply,
        parts: reply.parts.map(part => (isStream && part.type === 'call' ? { ...part, id: 'call_0' } : part)),
      }),
    },
    id: 'TRN-CALLS',
    summary: /^reply \/parts\/\d/,
  },
  'ends all replies as complete': {
    fault: { reply: reply => ({ ...reply, finish: 'stop', stop_sequence: null }) },
    id: 'TRN-FINISH',
    summary: /^reply \/finish is changed \(length, plain\)/,
  },
  'calls a filter complete': {
    fault: { reply: reply => ({ ...reply, finish: reply.finish === 'filter' ? 'stop' : reply.finish }) },
    id: 'TRN-FINISH',
    summary: /^reply \/finish is changed \(filter, plain\)/,
  },
  'loses cached tokens': {
    fault: { reply: reply => withUsage(reply, { cached: 0 }) },
    id: 'TRN-USAGE',
    summary: /^reply \/usage\/cached is changed \(all-figures, plain\)/,
  },
  'loses usage of streams': {
    fault: { reply: (reply, isStream) => (isStream ? { ...reply, usage: null } : reply) },
    id: 'TRN-USAGE',
    summary: /\(all-figures, stream\)/,
  },
}

for (const [name, { fault, id, summary }] of Object.entries(FAULTS))
  t.test(`a gateway that ${name} is found by ${id} alone`, async t => {
    const found = await findings(t, fault, { gpt: 'chat' })
    t.strictSame([...new Set(found.map(one => one.split(' ')[0]))], [id])
    for (const one of found) {
      t.match(one, / fail /)
      t.match(one.replace(/^\S+ \S+ fail /, ''), summary)
    }
  })
