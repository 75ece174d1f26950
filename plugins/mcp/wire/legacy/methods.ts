/** Owns the methods that only sessions support: ping, log level and resource subscriptions. */
import { MAX_SUBSCRIPTIONS } from '../../bounds.ts'
import { isLogLevel, LOG_LEVELS, type Call, type Method, type MethodResult } from '../../servers/call.ts'
import { invalidParams, methodNotFound } from '../../errors.ts'
import { readUri, requireResource } from '../../methods/resources.ts'
import type { Session } from '../../sessions/session.ts'
import type { Sessions } from '../../sessions/sessions.ts'

const NOTHING: MethodResult = { result: '{}' }

type SessionMethod = (call: Call, session: Session, sessions: Sessions) => MethodResult | Promise<MethodResult>

const METHODS: ReadonlyMap<string, SessionMethod> = new Map<string, SessionMethod>([
  ['ping', () => NOTHING],
  ['logging/setLevel', setLevel],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
])

/** The method with this name, bound to the session. */
export function sessionMethod(name: string, session: Session, sessions: Sessions): Method | undefined {
  const method = METHODS.get(name)
  return method && (call => method(call, session, sessions))
}

async function setLevel({ params }: Call, session: Session, sessions: Sessions): Promise<MethodResult> {
  const { level } = params
  if (!isLogLevel(level)) throw invalidParams(`Unknown log level (expected one of ${LOG_LEVELS.join(', ')})`)
  await sessions.change(session, () => ({ logLevel: level }))
  return NOTHING
}

async function subscribe(call: Call, session: Session, sessions: Sessions): Promise<MethodResult> {
  const uri = readKnownUri(call)
  await call.server.bridge?.subscribe(uri)
  const changed = await sessions.change(session, ({ subscriptions }) =>
    subscriptions.includes(uri) || subscriptions.length >= MAX_SUBSCRIPTIONS
      ? {}
      : { subscriptions: [...subscriptions, uri] },
  )
  if (changed && !changed.subscriptions.includes(uri))
    throw invalidParams(`Too many subscriptions (at most ${MAX_SUBSCRIPTIONS})`)
  return NOTHING
}

async function unsubscribe(call: Call, session: Session, sessions: Sessions): Promise<MethodResult> {
  const uri = readKnownUri(call)
  await sessions.change(session, ({ subscriptions }) => ({
    subscriptions: subscriptions.filter(known => known !== uri),
  }))
  return NOTHING
}

function readKnownUri(call: Call): string {
  if (!call.server.hasResources) throw methodNotFound(call.method)
  const uri = readUri(call)
  requireResource(call, uri)
  return uri
}
