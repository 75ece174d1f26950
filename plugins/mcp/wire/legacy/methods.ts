/** Owns the methods that only sessions support: ping, log level and resource subscriptions. */
import { isLogLevel, LOG_LEVELS, type Call, type MethodResult } from '../../calls/call.ts'
import type { Method } from '../../calls/dispatch.ts'
import { invalidParams, methodNotFound } from '../../errors.ts'
import { readUri, requireResource } from '../../methods/resources.ts'
import type { Session } from '../../sessions/session.ts'

const NOTHING: MethodResult = { result: '{}' }

const METHODS: ReadonlyMap<string, (call: Call, session: Session) => MethodResult> = new Map([
  ['ping', () => NOTHING],
  ['logging/setLevel', setLevel],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
])

/** The method with this name, bound to the session. */
export function sessionMethod(name: string, session: Session): Method | undefined {
  const method = METHODS.get(name)
  return method && (call => method(call, session))
}

function setLevel({ params }: Call, session: Session): MethodResult {
  if (!isLogLevel(params.level)) throw invalidParams(`Unknown log level (expected one of ${LOG_LEVELS.join(', ')})`)
  session.logLevel = params.level
  return NOTHING
}

function subscribe(call: Call, session: Session): MethodResult {
  session.subscribe(readKnownUri(call))
  return NOTHING
}

function unsubscribe(call: Call, session: Session): MethodResult {
  session.unsubscribe(readKnownUri(call))
  return NOTHING
}

function readKnownUri(call: Call): string {
  if (!call.server.hasResources) throw methodNotFound(call.method)
  const uri = readUri(call)
  requireResource(call, uri)
  return uri
}
