/** The expectation `arrivals`: what reached svc, by the verification of the control plane. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { ArrivalsTest } from '../../file/demo.ts'
import { arrivedOnly, marksOf, sessionsOf } from '../context.ts'
import { refusalText, type ControlAnswer } from '../control.ts'
import { fieldValues } from '../sent.ts'
import type { Outcome, StepEvidence } from './result.ts'
import { createChecker } from './tests.ts'
import { counted, countWords, percent, shownValue, testWords } from './words.ts'

/** How long a count that is not reached waits, and one that may be exceeded is watched. */
const WITHIN_MS = 2000
const SETTLE_MS = 300
/** As many ids as a verification shows. */
const MAX_ENTRIES = 100
const AT_ONCE = 8
const MANY = 1_000_000

/** What of a record of the inspector is tested. */
export interface Entry {
  id: string
  timestamp: string
  uri: string
  headers: { name: string; value: string }[]
  body: string | null
  body_decoded: string | null
  body_size: number
  body_truncated: boolean
  status: number
  /** Null: not a call of gRPC. */
  grpc_status: number | null
  client_ip: string
  session_from: string | null
}

export class VerificationError extends Error {}

export async function judgeArrivals(test: ArrivalsTest, evidence: StepEvidence): Promise<Outcome> {
  const expected = expectedWords(test)
  if (test.share !== null) return judgeShare(test, evidence, expected)
  const counts = countsOf(test)
  const needsEntries =
    test.per !== null ||
    test.fromMs !== null ||
    test.toMs !== null ||
    test.gapMs !== null ||
    test.absent.length > 0 ||
    test.unchanged.length > 0
  const isByEntries = test.per !== null || test.fromMs !== null || test.toMs !== null
  const found = await verify(test, evidence, isByEntries ? { at_most: MANY } : counts.body)
  const entries = await entriesOf(found.ids, test.lane, evidence)
  const inTime = entries.filter(entry => isWithin(entry, test, evidence))
  const problems: string[] = []
  if (!isByEntries) {
    // What was counted is said anyway; of an order, the message says where it broke.
    if (!found.isVerified)
      problems.push(test.verification.order === undefined || found.count === 0 ? '' : found.message)
  } else problems.push(...countProblems(test, inTime, counts))
  if (found.count > 0 && Object.keys(test.every).length > 0)
    problems.push(...(await everyProblem(test, evidence, found.count)))
  if (needsEntries) problems.push(...entryProblems(test, inTime, evidence))
  const shown = problems.filter(text => text !== '')
  return {
    verdict: problems.length === 0 ? 'seen' : 'not-seen',
    expected,
    got: `${arrivalWords(isByEntries ? inTime : entries, isByEntries ? inTime.length : found.count)}${shown.length === 0 ? '' : `; ${shown.join('; ')}`}`,
    entries: entries.map(({ id }) => id),
  }
}

/** Records of what arrived since the step began, those of lanes included, without waiting for more. */
export async function arrivalsSince(verification: JsonObject, evidence: StepEvidence): Promise<Entry[]> {
  const entries: Entry[] = []
  for (const lane of [null, ...evidence.context.lanes]) {
    const test = { verification, lane, withinMs: 0, settleMs: 0 }
    const { ids } = await verify(test, evidence, { at_most: MANY })
    entries.push(...(await entriesOf(ids, lane, evidence)))
  }
  return entries
}

interface Counts {
  min: number | null
  max: number | null
  body: JsonObject
}

function countsOf({ exactly, atLeast, atMost }: ArrivalsTest): Counts {
  if (exactly !== null) return { min: exactly, max: exactly, body: { exactly } }
  const min = atLeast ?? (atMost === null ? 1 : null)
  return {
    min,
    max: atMost,
    body: { ...(min === null ? {} : { at_least: min }), ...(atMost === null ? {} : { at_most: atMost }) },
  }
}

interface Found {
  isVerified: boolean
  count: number
  ids: string[]
  message: string
}

/** Asks the control plane, in the session of the run or of a lane. */
async function verify(
  { verification, lane, withinMs, settleMs }: Pick<ArrivalsTest, 'verification' | 'lane' | 'withinMs' | 'settleMs'>,
  evidence: StepEvidence,
  counts: JsonObject,
): Promise<Found> {
  const { context, marks } = evidence
  const { control, session } = sessionsOf(context, lane)
  const since = marks.get(session) ?? null
  // An upper bound holds at the end only, so it is watched for as long as late arrivals take.
  const isUpper = counts.at_least === undefined && (counts.exactly === undefined || counts.exactly === 0)
  const body = {
    ...(verification.order === undefined
      ? { match: withMarks(verification.match, lane, evidence), ...counts }
      : verification),
    ...(since === null ? {} : { since }),
    within_ms: withinMs ?? (isUpper ? SETTLE_MS : WITHIN_MS),
    settle_ms: settleMs ?? SETTLE_MS,
  }
  return foundIn(await control.ask('POST', `/_svc/verify?session=${session}`, body))
}

/** A lane is shared by runs: only requests of this one count. */
function withMarks(match: Json | undefined, lane: string | null, { context }: StepEvidence): JsonObject {
  const own = isRecord(match) ? (match as JsonObject) : {}
  if (lane === null) return arrivedOnly(own, context)
  // None of (none of the marks): `any` may be taken by the demo.
  const marked = { none: (marksOf(context) as { any: Json[] }).any }
  return { ...own, none: [...(Array.isArray(own.none) ? own.none : []), marked] }
}

function foundIn(answer: ControlAnswer): Found {
  if ((answer.status !== 200 && answer.status !== 409) || !isRecord(answer.body))
    throw new VerificationError(`the verification ${refusalText(answer)}`)
  const { verified, count, requests, message } = answer.body
  return {
    isVerified: verified === true,
    count: Number(count),
    ids: Array.isArray(requests) ? requests.map(String) : [],
    message: typeof message === 'string' ? message : '',
  }
}

/** The records, as they came; those that are no longer stored are left out. */
async function entriesOf(ids: readonly string[], lane: string | null, { context }: StepEvidence): Promise<Entry[]> {
  const { control, session } = sessionsOf(context, lane)
  const entries: Entry[] = []
  const left = ids.slice(0, MAX_ENTRIES)
  while (left.length > 0) {
    const answers = await Promise.all(
      left.splice(0, AT_ONCE).map(id => control.ask('GET', `/_svc/requests/${id}?session=${session}`)),
    )
    for (const { status, body } of answers) if (status === 200) entries.push(body as Entry)
  }
  return entries.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
}

function isWithin({ timestamp }: Entry, { fromMs, toMs }: ArrivalsTest, { startedAtMs }: StepEvidence): boolean {
  const atMs = Date.parse(timestamp) - startedAtMs
  return (fromMs === null || atMs >= fromMs) && (toMs === null || atMs < toMs)
}

/** Counts of records, for each group if there are groups. */
function countProblems({ per }: ArrivalsTest, entries: readonly Entry[], { min, max }: Counts): string[] {
  const groups = new Map<string, number>()
  for (const entry of entries) {
    const group = per === null ? '' : groupOf(entry, per)
    groups.set(group, (groups.get(group) ?? 0) + 1)
  }
  if (groups.size === 0 && (min ?? 0) > 0) return ['']
  return [...groups]
    .filter(([, count]) => count < (min ?? 0) || count > (max ?? Infinity))
    .map(([group, count]) => `${count}${group === '' ? '' : ` for ${group}`}`)
}

function groupOf(entry: Entry, per: string): string {
  if (per === 'client') return entry.client_ip
  return headerOf(entry, per === 'credential' ? 'authorization' : per.slice('header.'.length)) ?? 'none'
}

function headerOf({ headers }: Entry, name: string): string | undefined {
  const values = headers.filter(header => header.name === name.toLowerCase()).map(({ value }) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/** How many arrivals do not meet what every one must. */
async function everyProblem(test: ArrivalsTest, evidence: StepEvidence, count: number): Promise<string[]> {
  const match = { ...(test.verification.match as JsonObject | undefined) }
  const merged: JsonObject = { ...match }
  for (const [key, value] of Object.entries(test.every))
    merged[key] =
      isRecord(match[key]) && isRecord(value) ? { ...(match[key] as JsonObject), ...(value as JsonObject) } : value
  const found = await verify({ ...test, verification: { match: merged }, withinMs: 0, settleMs: 0 }, evidence, {
    at_most: MANY,
  })
  if (found.count >= count) return []
  const good = new Set(found.ids)
  const all = await verify({ ...test, withinMs: 0, settleMs: 0 }, evidence, { at_most: MANY })
  const bad = all.ids.find(id => !good.has(id))
  const [entry] = bad === undefined ? [] : await entriesOf([bad], test.lane, evidence)
  return [`${count - found.count} without it${entry === undefined ? '' : `: ${shownPart(entry, test.every)}`}`]
}

function shownPart(entry: Entry, every: JsonObject): string {
  const headers = Object.keys(isRecord(every.header) ? every.header : {}).map(
    name => `header ${name} is ${shownValue(headerOf(entry, name))}`,
  )
  const body = every.body === undefined && every.json === undefined ? [] : [`the body is ${shownValue(textOf(entry))}`]
  return [...headers, ...body].join(', ')
}

function textOf({ body, body_decoded }: Entry): string {
  return body_decoded ?? body ?? ''
}

/** What single records show. */
function entryProblems(test: ArrivalsTest, entries: readonly Entry[], { sent }: StepEvidence): string[] {
  const problems: string[] = []
  for (const forbidden of test.absent) {
    const place = entries.map(entry => placeOf(forbidden, entry)).find(found => found !== null)
    if (place !== undefined) problems.push(`${shownValue(forbidden)} arrived in ${place}`)
  }
  for (const name of test.unchanged) {
    const changed = entries.find(entry => !isUnchanged(name, entry, sent))
    if (changed !== undefined)
      problems.push(
        name === 'body'
          ? `the body arrived changed (${changed.body_size} bytes)`
          : `${name} arrived as ${shownValue(headerOf(changed, name))}`,
      )
  }
  if (test.gapMs !== null) {
    const checker = createChecker()
    const times = entries.map(({ timestamp }) => Date.parse(timestamp))
    const gaps = times.slice(1).map((time, index) => time - times[index]!)
    const wrong = gaps.filter(gap => !checker.holds('gap_ms', test.gapMs!, [gap]))
    if (wrong.length > 0) problems.push(`gaps of ${gaps.join(', ')} ms`)
  }
  return problems
}

/** Where the name of a header, or a text in a header, the target or the body, arrived. */
function placeOf(forbidden: string, entry: Entry): string | null {
  const header = entry.headers.find(({ name, value }) => name === forbidden.toLowerCase() || value.includes(forbidden))
  if (header !== undefined) return `the header ${header.name}`
  if (entry.uri.includes(forbidden)) return 'the target'
  return textOf(entry).includes(forbidden) ? 'the body' : null
}

function isUnchanged(name: string, entry: Entry, sent: StepEvidence['sent']): boolean {
  if (name !== 'body') {
    const arrived = headerOf(entry, name)
    return sent.some(({ fields }) => {
      const values = fieldValues(fields, name)
      return (values.length === 0 ? undefined : values.join(', ')) === arrived
    })
  }
  const kept = entry.body ?? ''
  return sent.some(({ sentBody }) => {
    const body = sentBody ?? ''
    return entry.body_size === Buffer.byteLength(body) && (entry.body_truncated ? body.startsWith(kept) : body === kept)
  })
}

async function judgeShare(test: ArrivalsTest, evidence: StepEvidence, expected: string): Promise<Outcome> {
  const { lane, min, max } = test.share!
  const counts = new Map<string, number>()
  for (const one of evidence.context.lanes) {
    const found = await verify({ ...test, lane: one }, evidence, { at_most: MANY })
    counts.set(one, found.count)
  }
  const total = [...counts.values()].reduce((a, b) => a + b, 0)
  const share = total === 0 ? 0 : counts.get(lane)! / total
  const shown = [...counts].map(([one, count]) => `${count} at ${one}`).join(', ')
  return {
    verdict: total > 0 && share >= min && share <= max ? 'seen' : 'not-seen',
    expected,
    got: `${shown} (${percent(share)} at ${lane})`,
  }
}

function expectedWords(test: ArrivalsTest): string {
  const { verification, lane, per, gapMs, every, absent, unchanged, share, fromMs, toMs } = test
  if (share !== null) return `${percent(share.min)} to ${percent(share.max)} of the arrivals at ${share.lane}`
  const { min, max } = countsOf(test)
  const order = Array.isArray(verification.order) ? verification.order.length : 0
  const noun = max === 1 || (max === null && min === 1) ? 'arrival' : 'arrivals'
  const parts = [
    order > 0 ? `${order} arrivals in order` : `${countWords(min, max)} ${noun}${matchWords(verification.match)}`,
    lane === null ? '' : `at ${lane}`,
    fromMs === null && toMs === null
      ? ''
      : `from ${(fromMs ?? 0) / 1000} to ${toMs === null ? 'the end' : toMs / 1000} s`,
    per === null ? '' : `for each ${per.replace('header.', '')}`,
    gapMs === null ? '' : testWords('with gaps in ms', gapMs),
    ...Object.entries(every).flatMap(([key, value]) =>
      key === 'header' && isRecord(value)
        ? Object.entries(value).map(([name, one]) => `each with ${testWords(`header.${name}`, one as Json)}`)
        : [`each with ${testWords(key, value)}`],
    ),
    absent.length === 0 ? '' : `without ${absent.map(text => shownValue(text)).join(', ')}`,
    unchanged.length === 0 ? '' : `with ${unchanged.join(', ')} unchanged`,
  ]
  return parts.filter(text => text !== '').join(', ')
}

function matchWords(match: Json | undefined): string {
  if (!isRecord(match) || Object.keys(match).length === 0) return ''
  const parts = Object.entries(match).map(([key, value]) =>
    typeof value === 'string' ? `${key} ${value}` : `${key} ${JSON.stringify(value)}`,
  )
  return ` with ${parts.join(' and ').slice(0, 200)}`
}

/** `3 arrivals in 410 ms: 503, 503, 200`. */
function arrivalWords(entries: readonly Entry[], count: number): string {
  if (count === 0) return 'no arrival'
  const times = entries.map(({ timestamp }) => Date.parse(timestamp))
  const span = times.length < 2 ? '' : ` in ${Math.max(...times) - Math.min(...times)} ms`
  const statuses = entries
    .slice(0, 12)
    .map(({ status, grpc_status }) => (grpc_status == null ? String(status) : `gRPC ${grpc_status}`))
  const more = entries.length > statuses.length ? ', …' : ''
  return `${counted(count, 'arrival')}${span}${statuses.length === 0 ? '' : `: ${statuses.join(', ')}${more}`}`
}
