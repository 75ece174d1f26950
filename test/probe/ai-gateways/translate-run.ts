/** Runs the checks of the group `translate` through a toy gateway. */
import type { Test } from 'tap'
import { TRANSLATE_CHECKS } from '../../../plugins/probe/checks/translate/translate.ts'
import { readRoutes } from '../../../plugins/probe/client/routes.ts'
import { probeThrough } from '../probe-through.ts'
import { runsOf } from '../repeated.ts'
import type { RightGateway, WrongGateway } from './faults.ts'
import { startToyGateway, type GatewayFault } from './toy-gateway.ts'

/** The wires that the toy speaks on both sides. */
export const PAIRS = ['chat', 'responses', 'messages', 'gemini', 'converse'] as const

/** Where the toy has the wires of clients. */
const BASES = { openai: '/openai/v1', anthropic: '/anthropic', gemini: '/gemini', bedrock: '/bedrock' }

export interface Found {
  /** `<id> <pair> <verdict> <text>` of everything that is neither a pass nor a note, nor skipped because a wire has no word for it. */
  findings: string[]
  /** That were tested. */
  pairs: string[]
}

export interface TranslateOptions {
  /** URL of svc, which may serve several gateways. */
  upstream: string
  clients: readonly string[]
  upstreams: readonly string[]
  fault?: GatewayFault
  /** Of the checks; default: all. */
  ids?: readonly string[]
}

export async function findingsOf(
  t: Test,
  { upstream, clients, upstreams, fault, ids }: TranslateOptions,
): Promise<Found> {
  const models = Object.fromEntries(upstreams.map(wire => [`model-${wire}`, wire]))
  const toy = await startToyGateway({ upstream, models, ...(fault === undefined ? {} : { fault }) })
  t.teardown(() => toy.close())
  const routes = readRoutes({ llm: { ...BASES, wires: [...clients], marks: 'cache_control' } })
  if (typeof routes === 'string') throw new Error(routes)
  const checks = TRANSLATE_CHECKS.filter(({ id }) => ids === undefined || ids.includes(id))
  const { results } = await probeThrough(toy.url, upstream, { checks, routes })
  const isExpected = (verdict: string, text: string): boolean =>
    verdict === 'pass' || verdict === 'note' || (verdict === 'skip' && text === 'a wire of the pair cannot say it')
  return {
    findings: results
      .map(({ check, pair, verdict, summary, reason }) => ({
        verdict,
        text: reason ?? summary,
        head: `${check.id} ${pair ?? '-'}`,
      }))
      .filter(({ verdict, text }) => !isExpected(verdict, text))
      .map(({ head, verdict, text }) => `${head} ${verdict} ${text}`),
    pairs: [...new Set(results.flatMap(({ pair }) => pair ?? []))],
  }
}

/** Each wrong gateway is found by its own check, and by no other. */
export function testWrongGateways(t: Test, upstream: string, gateways: Readonly<Record<string, WrongGateway>>): void {
  for (const [name, { fault, id, summary, verdict = 'fail', pair = ['messages', 'messages'] }] of Object.entries(
    gateways,
  ))
    for (const title of runsOf(`a gateway that ${name} is found by ${id} alone`))
      t.test(title, async t => {
        const [client, behind] = pair
        const { findings } = await findingsOf(t, { upstream, clients: [client], upstreams: [behind], fault })
        t.strictSame([...new Set(findings.map(one => one.split(' ')[0]))], [id], findings.join('\n'))
        const start = `${id} ${client}:${behind} ${verdict} `
        for (const one of findings) {
          t.equal(one.slice(0, start.length), start)
          t.match(one.slice(start.length), summary)
        }
      })
}

/** None of them has a finding. */
export function testRightGateways(t: Test, upstream: string, gateways: Readonly<Record<string, RightGateway>>): void {
  for (const [name, { fault, pair = ['messages', 'messages'], ids }] of Object.entries(gateways))
    for (const title of runsOf(`a gateway that ${name} has no finding`))
      t.test(title, async t => {
        const [client, behind] = pair
        const own = ids === undefined ? {} : { ids }
        const { findings, pairs } = await findingsOf(t, {
          upstream,
          clients: [client],
          upstreams: [behind],
          fault,
          ...own,
        })
        t.strictSame(findings, [])
        t.strictSame(pairs, [`${client}:${behind}`])
      })
}
