/** What svc does as a service of the gateway while a request is in progress, and what it was asked. */
import type { JsonObject } from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import type { BackChannel } from './back-channel.ts'
import { clock } from './changes.ts'

export interface ServiceScene {
  /** As in `match.service.name` of rules. */
  name: 'authz' | 'ratelimit' | 'proc'
  /** Step of a rule about the calls of the service; default: none. */
  then?: JsonObject
}

/** One call of the service. */
export interface ServiceCall {
  policy: string | null
  decision: string
  by: string
  reason: string | null
  phases: readonly string[]
  method: string
  /** With its query. */
  target: string
}

/** A request of the probe. */
export interface RequestIdentity {
  nonce: string
  field: string
  check: string
  step: number
}

/** An entry of the inspector, as far as it is read. */
interface Entry {
  id: string
  ended: string | null
  service: {
    policy: string | null
    decision: string
    by: string
    reason: string | null
    phases: string[] | null
    checked: { method: string; path: string; query: string | null; headers: { name: string; value: string }[] }
  } | null
}

/** A rule of a probe that was killed ends then. */
const RULE_S = 120
/** How long records of calls are waited for that still last. */
const LATE_MS = [0, 100, 300, 600]
/** The clocks of requests and of the tap may differ by so much. */
const SINCE_MS = 20

/** Runs the exchange with the scene, and returns its record with what was asked meanwhile. */
export async function duringScene<R extends object>(
  scene: ServiceScene,
  about: RequestIdentity,
  channels: readonly BackChannel[],
  run: () => Promise<R>,
): Promise<R & { asked: ServiceCall[] }> {
  const name = `probe-${about.nonce.slice(0, 8)}-${about.step}`
  const rule = { match: matchOf(scene, about), then: scene.then, expires_in_secs: RULE_S }
  const from = clock()
  if (scene.then !== undefined)
    await Promise.all(channels.map(channel => channel.send('PUT', `/_svc/rules/${name}`, rule)))
  try {
    const record = await run()
    return { ...record, asked: await askedSince(from, scene, about, channels) }
  } finally {
    if (scene.then !== undefined)
      await Promise.all(channels.map(channel => channel.send('DELETE', `/_svc/rules/${name}`).catch(() => {})))
  }
}

/** Calls about rate limits need not name the path; others may name another one, with the headers of the request. */
function matchOf({ name }: ServiceScene, { nonce, field, check, step }: RequestIdentity): JsonObject {
  const path = `/probe/${nonce}/${check.toLowerCase()}/${step}(/|$)`
  const about: JsonObject[] = [{ path: { matches: path } }, { header: { 'x-svc-probe': `${field}-${step}` } }]
  const service = { name }
  return name === 'ratelimit' ? { service } : { service, any: about }
}

async function askedSince(
  from: number,
  { name, then }: ServiceScene,
  about: RequestIdentity,
  channels: readonly BackChannel[],
): Promise<ServiceCall[]> {
  let found: Entry[] = []
  for (const waitMs of LATE_MS) {
    await sleep(waitMs)
    const lists = await Promise.all(
      channels.map(async channel => {
        const since = new Date(from - channel.offsetMs - SINCE_MS).toISOString()
        const path = `/_svc/requests?service=${name}&since=${since}&limit=200`
        return ((await channel.send('GET', path)) as { requests: Entry[] }).requests
      }),
    )
    // Upstreams that share a store list the same entries. The newest come first.
    const entries = [...new Map(lists.flat().map(entry => [entry.id, entry])).values()].toReversed()
    found = entries.filter(entry => isAbout(entry, about))
    if (found.length > 0 && found.every(({ ended }) => ended !== 'open')) break
  }
  // What the rule did not decide says nothing about a gateway that forwards it.
  const isDecided = name !== 'proc' && then !== undefined
  return found.map(callOf).filter(({ by }) => !isDecided || by === 'rule')
}

/** A call without the path and the marker of any request of the probe may be about the only one that is in progress. */
function isAbout({ service }: Entry, { nonce, field, check, step }: RequestIdentity): boolean {
  if (service === null) return false
  const { path, headers } = service.checked
  const marker = headers.find(header => header.name.toLowerCase() === 'x-svc-probe')?.value
  if (marker?.startsWith(field) === true) return marker === `${field}-${step}`
  const at = path.indexOf(nonce)
  if (at === -1) return marker === undefined && path === '/'
  const own = path.slice(at + nonce.length)
  return own === `/${check.toLowerCase()}/${step}` || own.startsWith(`/${check.toLowerCase()}/${step}/`)
}

function callOf({ service }: Entry): ServiceCall {
  const { policy, decision, by, reason, phases, checked } = service!
  const target = `${checked.path}${checked.query === null ? '' : `?${checked.query}`}`
  return { policy, decision, by, reason, phases: phases ?? [], method: checked.method, target }
}
