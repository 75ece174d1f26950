/** The two sides of a gateway: what clients sent through svc to it, and what arrived at svc behind it. */
import { isRecord, isSecretName } from 'svc/toolkit'
import type { CheckField, ProbeConversations, SeenDifferences, SeenRequest } from '../../probe/types.ts'
import { isOfTraffic, laneSession, markIn } from '../run/context.ts'
import type { ControlClient } from '../run/control.ts'
import type { Entry } from '../run/expect/arrivals.ts'

/** Requests of the client that are shown; of more, only the newest. */
const MAX_EXCHANGES = 50
/** Records that are read at once. */
const READ = 200
const AT_ONCE = 8
/** An arrival can be recorded a moment before the request that led to it. */
const EARLY_MS = 5
/** Fields that each connection has itself, or that svc and proxies add. */
const OWN_FIELDS = new Set([
  'baggage',
  'connection',
  'content-length',
  'forwarded',
  'host',
  'keep-alive',
  'te',
  'transfer-encoding',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  // svc generates one if the client sends none.
  'x-request-id',
])

interface Timed extends Entry {
  method: string
  latency_ms: number
}

export interface SeenSide {
  /** Of the record in the inspector. */
  id: string
  method: string
  uri: string
  status: number
  bytes: number
}

export interface HeaderDifference {
  name: string
  kind: 'lost' | 'changed' | 'added'
  /** Without values for credentials. */
  sent?: string
  arrived?: string
}

export interface SeenExchange {
  sent: SeenSide
  /** Several: the gateway tried again, or asked other routes as well. */
  arrived: (SeenSide & {
    body: 'same' | 'changed'
    headers: HeaderDifference[]
    /** Of requests to models; null: of others, or of a body that is larger than what a record keeps. */
    conversation: SeenDifferences | null
  })[]
}

export interface ExchangeSources {
  control: ControlClient
  /** Of the run. */
  id: string
  lanes: readonly string[]
  conversations: ProbeConversations
  /** Below the session of the run. */
  tapPath: string
}

export async function exchangesOf(sources: ExchangeSources): Promise<SeenExchange[]> {
  const { control, id, lanes, conversations, tapPath } = sources
  const own = await entriesOf(control, id, () => true)
  const isTapped = ({ uri }: Entry): boolean => uri === tapPath || uri.startsWith(`${tapPath}/`)
  const sent = own
    .filter(isTapped)
    .slice(-MAX_EXCHANGES)
    .map(entry => ({ ...entry, uri: entry.uri.slice(tapPath.length) }))
  if (sent.length === 0) return []
  const received = own.filter(entry => !isTapped(entry))
  for (const lane of lanes)
    received.push(...(await entriesOf(control, laneSession(lane), entry => markIn(entry, id) !== null)))
  const groups = new Map(sent.map(entry => [entry, [] as Timed[]]))
  for (const entry of received) {
    if (isOfTraffic(entry, id)) continue
    const cause = causeOf(entry, sent)
    if (cause !== undefined) groups.get(cause)!.push(entry)
  }
  return [...groups].map(([entry, found]) => ({
    sent: sideOf(entry),
    arrived: found.map(one => ({ ...sideOf(one), ...differences(entry, one, conversations) })),
  }))
}

/** The request of the client that was open when this one arrived: the one with the same body, otherwise the last that began. */
function causeOf(arrived: Timed, sent: readonly Timed[]): Timed | undefined {
  const at = Date.parse(arrived.timestamp)
  const open = sent.filter(({ timestamp, latency_ms: ms }) => {
    const from = Date.parse(timestamp)
    return at >= from - EARLY_MS && at <= from + ms + EARLY_MS
  })
  return open.findLast(({ body }) => body !== null && body === arrived.body) ?? open.at(-1)
}

function sideOf({ id, method, uri, status, body_size: bytes }: Timed): SeenSide {
  return { id, method, uri, status, bytes }
}

function differences(
  sent: Timed,
  arrived: Timed,
  conversations: ProbeConversations,
): Omit<SeenExchange['arrived'][number], keyof SeenSide> {
  const isComplete = !sent.body_truncated && !arrived.body_truncated
  return {
    body: sent.body === arrived.body && sent.body_size === arrived.body_size ? 'same' : 'changed',
    headers: headerDifferences(sent, arrived),
    conversation: isComplete ? conversations.compare(seenOf(sent), seenOf(arrived)) : null,
  }
}

function seenOf({ method, uri, headers, body, body_decoded: decoded }: Timed): SeenRequest {
  return { method, target: uri, fields: fieldsOf(headers), body: decoded ?? body ?? '' }
}

function fieldsOf(headers: Timed['headers']): CheckField[] {
  return headers.map(({ name, value }) => [name, value])
}

function headerDifferences(sent: Timed, arrived: Timed): HeaderDifference[] {
  const [before, after] = [valuesOf(sent), valuesOf(arrived)]
  const shown = (name: string, value: string): string => (isSecretName(name) ? '***' : value)
  const found: HeaderDifference[] = []
  for (const [name, value] of before) {
    const other = after.get(name)
    if (other === undefined) found.push({ name, kind: 'lost', sent: shown(name, value) })
    else if (other !== value)
      found.push({ name, kind: 'changed', sent: shown(name, value), arrived: shown(name, other) })
  }
  for (const [name, value] of after)
    if (!before.has(name)) found.push({ name, kind: 'added', arrived: shown(name, value) })
  return found
}

function valuesOf({ headers }: Timed): Map<string, string> {
  const values = new Map<string, string>()
  for (const { name, value } of headers)
    if (!OWN_FIELDS.has(name) && !name.startsWith('x-svc-'))
      values.set(name, values.has(name) ? `${values.get(name)}, ${value}` : value)
  return values
}

/** Oldest first. */
async function entriesOf(
  control: ControlClient,
  session: string,
  isWanted: (entry: Entry) => boolean,
): Promise<Timed[]> {
  const { body } = await control.ask('GET', `/_svc/requests?session=${session}&limit=${READ}`)
  const listed = isRecord(body) && Array.isArray(body.requests) ? (body.requests as Entry[]) : []
  const left = listed.filter(isWanted).map(({ id }) => id)
  const entries: Timed[] = []
  while (left.length > 0) {
    const answers = await Promise.all(
      left.splice(0, AT_ONCE).map(id => control.ask('GET', `/_svc/requests/${id}?session=${session}`)),
    )
    for (const answer of answers) if (answer.status === 200) entries.push(answer.body as Timed)
  }
  return entries.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
}
