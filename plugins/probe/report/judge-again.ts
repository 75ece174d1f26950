/** Judges the evidence of a report again, without sending anything. */
import { fault, type Check, type ModelSettings, type PairContext, type Verdict } from '../catalog/check.ts'
import { generalVerdict } from '../client/general-rules.ts'
import { pairsOfClients } from '../pairs/clients.ts'
import type { Pair } from '../pairs/pair.ts'
import type { Wire } from '../wires/types.ts'
import { WIRES } from '../wires/wires.ts'
import { evidenceOf, factsOf } from './recorded-evidence.ts'
import type { Report, ReportedResult } from './report.ts'

/** Reports of older versions do not say how marks are written, nor which models are for embeddings. */
function contextOf(pair: Pair, facts: Report['facts'], wires: readonly Wire[]): PairContext {
  const { marks = 'none', embeddings = null }: Partial<ModelSettings> = facts?.models ?? {}
  return { pair, wires, marks, embeddings, fields: [] }
}

/** The check as it ran with the models of the gateway. */
function checkForModels(check: Check, facts: Report['facts'], wires: readonly Wire[]): Check {
  const wireOf = (id: string | null): Wire | undefined => wires.find(wire => wire.id === id)
  const pairs = (facts?.pairs ?? []).flatMap(({ state, client: from, upstream: to, model }): Pair[] => {
    const [client, upstream] = [wireOf(from), wireOf(to)]
    return state !== 'tested' || client === undefined || upstream === undefined ? [] : [{ client, upstream, model }]
  })
  const clients = pairsOfClients(pairs).map((pair): PairContext => contextOf(pair, facts, wires))
  // Judges need their number.
  const tenants = Array.from({ length: facts?.models.tenants ?? 0 }, (_, index) => `tenant ${index}`)
  return check.forModels!(clients, tenants)
}

export type JudgedAgain = Pick<ReportedResult, 'verdict' | 'summary' | 'reason' | 'values'>

/** The check as it ran for a pair; null if the pair has a wire that is not known here. */
function checkForPair(check: Check, pair: string, facts: Report['facts'], wires: readonly Wire[]): Check | null {
  const [client, upstream] = pair.split(':').map(id => wires.find(wire => wire.id === id))
  const model = facts?.pairs?.find(one => one.pair === pair)?.model ?? ''
  if (check.forPair === undefined || client === undefined || upstream === undefined) return null
  return check.forPair(contextOf({ client, upstream, model }, facts, wires))
}

/** Returns a sentence if the report does not have what the check needs. */
export function judgeAgain(
  { facts }: Pick<Report, 'facts'>,
  { recorded, protocol, verdict, pair = null }: ReportedResult,
  listed: Check,
  wires: readonly Wire[] = WIRES,
): JudgedAgain | string {
  const own = listed.forModels === undefined ? listed : checkForModels(listed, facts, wires)
  const check = pair === null ? own : checkForPair(listed, pair, facts, wires)
  if (check === null) return `${listed.id} is not known for the pair ${pair}`
  if (check.when?.comparesDirect === true || check.when?.showsOwnAnswers === true)
    return `${check.id} compares with the direct run, which reports do not contain`
  if (recorded === undefined || facts === undefined)
    return `the report has no evidence of ${check.id} (${verdict}): run it with --verbose; large evidence is left out`
  const known = factsOf(facts, protocol)
  let found: Verdict
  try {
    const evidence = evidenceOf(recorded, check, known)
    found = generalVerdict(check, evidence) ?? check.judge(evidence, known, null)
  } catch (error) {
    found = fault((error as Error).message)
  }
  const hasReason = found.verdict === 'skip' || found.verdict === 'error'
  return {
    verdict: found.verdict,
    summary: hasReason ? '' : found.summary,
    reason: hasReason ? found.summary : null,
    values: found.values,
  }
}
