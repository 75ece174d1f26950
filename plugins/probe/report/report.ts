/** The report of a run as JSON. */
import { CATALOGUE } from '../catalog/version.ts'
import {
  GROUPS,
  impactOf,
  type Facts,
  type Impact,
  type Level,
  type Source,
  type VerdictWord,
} from '../catalog/check.ts'
import type { CheckResult } from '../client/check-result.ts'
import type { Evidence } from '../client/evidence.ts'
import type { RunResult } from '../client/probe-run.ts'
import type { Reached } from '../client/reach.ts'
import type { FoundPair } from '../pairs/pair.ts'
import { accepts, type Baseline } from './baseline.ts'
import { countFindings } from './findings.ts'
import { recordedEvidence, recordedFacts, type RecordedEvidence, type RecordedFacts } from './recorded-evidence.ts'
import { exchangesOf, type ReportedExchange } from './sides.ts'

export interface ReportedResult {
  id: string
  title: string
  group: string
  level: Level
  impact: Impact
  sources: readonly Source[]
  protocol: '1.1' | '2'
  /** `chat:messages`; null: the check is not one for pairs. Absent in reports of older catalogs. */
  pair?: string | null
  verdict: VerdictWord
  summary: string
  reason: string | null
  values: Record<string, unknown>
  /** Id of what other results find too, and one change ends (`causes.ts`). */
  cause?: string
  repeats: VerdictWord[]
  direct: CheckResult['direct']
  baseline: 'known' | 'new' | null
  owner_note: string | null
  took_ms: number
  /** Why it matters, of checks of other plugins, which whoever reads the report may not have. */
  why?: string
  exchanges: ReportedExchange[]
  /** If attempts disagree: the first one, unless it found what `summary` and `exchanges` say. */
  other_attempt?: { verdict: VerdictWord; summary: string; exchanges: ReportedExchange[] }
  /** For `replay --offline`; absent without evidence, and if it is too large. */
  recorded?: RecordedEvidence
}

export type VerdictCounts = Record<VerdictWord, number>

export interface Report {
  svc_probe: 1
  catalogue: string
  complete: boolean
  run: { id: string; started_at: string; took_ms: number; arguments: string[] }
  svc: { version: string; git_sha: string | null; node: string; platform: string }
  gateway: {
    url: string
    prefix: string
    name: string | null
    configuration: { file: string; sha256: string; text: string; truncated: boolean }[]
    seen: {
      server: string | null
      via: string | null
      forwarding: 'messages' | 'bytes' | 'models' | 'graphs'
      /** Whether it reads what models are sent; null if it was not asked for. */
      models?: 'messages' | 'bytes' | null
      client_protocols: string[]
      upstream_protocols: string[]
      path: { removed: string; added: string }
    }
  }
  upstream: {
    mode: 'listen' | 'url'
    base_url: string
    instances: string[]
    /** Instances that ended during the run. */
    gone?: string[]
  }
  options: Record<string, unknown>
  summary: {
    verdicts: VerdictCounts
    /** What recognition found, with the verdicts of each pair. */
    pairs?: (FoundPair & { verdicts: VerdictCounts })[]
    groups: { group: string; musts: { kept: number; tried: number }; verdicts: VerdictCounts }[]
    counted: number
    known: number
  }
  results: ReportedResult[]
  fixed: { id: string; protocol: string; pair?: string; verdict: string }[]
  /** What the recorded evidence was judged with. */
  facts?: RecordedFacts
  truncated?: true
}

export type FailOn = 'fail' | 'fail:medium' | 'fail:high' | 'warn' | 'flaky' | 'error'

export interface ReportInput {
  /** `reached` is null for a run that has not begun. */
  run: Omit<RunResult, 'reached' | 'facts'> & { reached: Reached | null; facts?: Facts }
  facts: Pick<Report, 'svc' | 'upstream'> & { id: string; startedAt: Date; tookMs: number; arguments: string[] }
  gateway: { url: string; prefix: string; name: string | null; configuration: Report['gateway']['configuration'] }
  options: Record<string, unknown>
  failOn: readonly FailOn[]
  baseline: Baseline | null
  notes: ReadonlyMap<string, string>
  isVerbose: boolean
  /** The report has what `replay --offline` needs. */
  isRecorded?: boolean
}

const WORDS: readonly VerdictWord[] = ['pass', 'fail', 'warn', 'note', 'skip', 'error', 'flaky']
const MUSTS: readonly Level[] = ['must', 'other-spec', 'integrity']
const MAX_EVIDENCE = 4 * 1024 * 1024
const MAX_EVIDENCE_WITH_PAIRS = 8 * 1024 * 1024
/** Characters of all recorded evidence. */
const MAX_RECORDED = 8 * 1024 * 1024

export function createReport(input: ReportInput): Report {
  const { run, facts, gateway, baseline, notes } = input
  const hasPairs = run.results.some(({ pair }) => pair !== null)
  const maxEvidence = hasPairs ? MAX_EVIDENCE_WITH_PAIRS : MAX_EVIDENCE
  let evidenceBytes = 0
  let isTruncated = false
  let recordedSize = 0
  const results = run.results.map((result): ReportedResult => {
    const isShown =
      ['fail', 'warn', 'flaky', 'error'].includes(result.verdict) || result.check.hostile === true || input.isVerbose
    const shown = (evidence: Evidence | null): ReportedExchange[] => {
      const values = result.pair === null ? null : result.values
      const exchanges = isShown && evidence !== null ? exchangesOf(evidence, values) : []
      evidenceBytes += JSON.stringify(exchanges).length
      if (evidenceBytes <= maxEvidence) return exchanges
      isTruncated = true
      return []
    }
    const exchanges = shown(result.evidence)
    const other = result.otherAttempt
    const recorded = exchanges.length > 0 && input.isRecorded === true ? recordedEvidence(result.evidence!) : null
    recordedSize += recorded === null ? 0 : JSON.stringify(recorded).length
    return {
      ...reportedResult(result, { baseline, notes }),
      exchanges,
      ...(other === null
        ? {}
        : {
            other_attempt: {
              verdict: other.verdict.verdict,
              summary: other.verdict.summary,
              exchanges: shown(other.evidence),
            },
          }),
      ...(recorded !== null && recordedSize <= MAX_RECORDED ? { recorded } : {}),
    }
  })
  const { reached } = run
  const found = run.facts?.pairs ?? []
  const via = run.results.find(({ check }) => check.id === 'HDR-VIA')?.values.via
  return {
    svc_probe: 1,
    catalogue: CATALOGUE,
    complete: run.isComplete,
    run: {
      id: facts.id,
      started_at: facts.startedAt.toISOString(),
      took_ms: Math.round(facts.tookMs),
      arguments: facts.arguments,
    },
    svc: facts.svc,
    gateway: {
      ...gateway,
      seen: {
        server: reached?.server ?? null,
        via: typeof via === 'string' ? via : null,
        forwarding: forwardingOf(reached),
        models: run.models ?? null,
        client_protocols: run.clientProtocols,
        upstream_protocols: reached?.upstreamVersions ?? [],
        path: { removed: reached?.removed ?? '', added: reached?.added ?? '' },
      },
    },
    upstream: facts.upstream,
    options: input.options,
    summary: {
      verdicts: countsOf(results),
      ...(found.length === 0
        ? {}
        : {
            pairs: found.map(one => ({ ...one, verdicts: countsOf(results.filter(({ pair }) => pair === one.pair)) })),
          }),
      groups: groupsOf(results).map(group => groupSummary(group, results)),
      counted: countFindings(results.filter(result => counts(result, input.failOn))),
      known: results.filter(({ baseline: known }) => known === 'known').length,
    },
    results,
    fixed:
      baseline === null
        ? []
        : baseline.accepted
            .filter(entry => isFixed(entry, results))
            .map(({ id, protocol, pair, verdict }) => ({
              id,
              protocol,
              ...(pair === undefined ? {} : { pair }),
              verdict,
            })),
    ...(run.facts !== undefined && input.isRecorded === true ? { facts: recordedFacts(run.facts) } : {}),
    ...(isTruncated ? { truncated: true as const } : {}),
  }
}

function forwardingOf(reached: RunResult['reached'] | null): Report['gateway']['seen']['forwarding'] {
  if (reached?.isOfModels === true) return 'models'
  if (reached?.isOfGraphs === true) return 'graphs'
  return reached?.isTunnel === true ? 'bytes' : 'messages'
}

/** An entry for all pairs is fixed once it is so for each of them. */
function isFixed({ id, protocol, pair }: Baseline['accepted'][number], results: readonly ReportedResult[]): boolean {
  const own = results.filter(
    one => one.id === id && one.protocol === protocol && (pair === undefined || one.pair === pair),
  )
  return own.length > 0 && own.every(({ verdict }) => verdict === 'pass' || verdict === 'note')
}

/** A result without its evidence. */
export function reportedResult(
  result: CheckResult,
  { baseline, notes }: Pick<ReportInput, 'baseline' | 'notes'>,
): ReportedResult {
  const { check } = result
  const isFinding = ['fail', 'warn', 'flaky'].includes(result.verdict)
  return {
    id: check.id,
    title: check.title,
    group: check.group,
    level: check.level,
    impact: impactOf(check),
    sources: check.sources,
    protocol: result.protocol,
    pair: result.pair,
    verdict: result.verdict,
    summary: result.summary,
    reason: result.reason,
    values: result.values,
    ...(result.cause === undefined ? {} : { cause: result.cause }),
    repeats: result.repeats,
    direct: result.direct,
    baseline: baseline === null || !isFinding ? null : accepts(baseline, check.id, result) ? 'known' : 'new',
    owner_note: notes.get(check.id) ?? null,
    took_ms: result.tookMs,
    ...(check.id.includes('.') ? { why: check.page.why } : {}),
    exchanges: [],
  }
}

type Judged = Pick<ReportedResult, 'group' | 'level' | 'verdict'>

/** Kept MUSTs, and how many results have each verdict. */
export function groupSummary(group: string, results: readonly Judged[]): Report['summary']['groups'][number] {
  const own = results.filter(result => result.group === group)
  const musts = own.filter(({ level, verdict }) => MUSTS.includes(level) && verdict !== 'skip' && verdict !== 'error')
  return {
    group,
    musts: {
      kept: musts.filter(({ verdict }) => verdict !== 'fail' && verdict !== 'flaky').length,
      tried: musts.length,
    },
    verdicts: countsOf(own),
  }
}

/** Whether a result decides the exit code. */
export function counts({ verdict, impact, baseline }: ReportedResult, failOn: readonly FailOn[]): boolean {
  if (baseline === 'known') return false
  return failOn.some(word => {
    if (word === 'fail:medium') return verdict === 'fail' && impact !== 'low'
    if (word === 'fail:high') return verdict === 'fail' && impact === 'high'
    return verdict === word
  })
}

/** Groups of the results, in the order of the catalog. */
export function groupsOf(results: readonly Pick<ReportedResult, 'group'>[]): string[] {
  const found = [...new Set(results.map(({ group }) => group))]
  const rank = (group: string): number => {
    const at = (GROUPS as readonly string[]).indexOf(group)
    return at === -1 ? GROUPS.length : at
  }
  return found.toSorted((a, b) => rank(a) - rank(b))
}

function countsOf(results: readonly Pick<ReportedResult, 'verdict'>[]): VerdictCounts {
  return Object.fromEntries(
    WORDS.map(word => [word, results.filter(({ verdict }) => verdict === word).length]),
  ) as VerdictCounts
}
