/** Tries the route of a demo before its first step: whether the gateway forwards, and which mark survives. */
import { isRecord } from 'svc/toolkit'
import type { Demo, DemoRoute } from '../file/demo.ts'
import { AnswerBudget } from './answer-budget.ts'
import { markIn, marksOf, sessionKey, sessionsOf, type Mark, type RunContext } from './context.ts'
import type { Entry } from './expect/arrivals.ts'
import type { SentRequest } from './sent.ts'
import { callGrpc } from './traffic/grpc.ts'
import { sendLogin } from './traffic/login.ts'
import { sendMcp } from './traffic/mcp.ts'
import { sendRequest, type SendOptions } from './traffic/request.ts'

const TIMEOUT_MS = 10_000
const WITHIN_MS = 2000

export type RouteResult = { mark: Mark } | { reason: string; isReached: boolean }

/** Sets `context.mark`. A reason in words if the demo can't be judged. */
export async function checkRoute(context: RunContext, demo: Demo, route: DemoRoute): Promise<RouteResult> {
  const sent = await tryRoute(context, demo, route)
  if (sent.status === null)
    return {
      reason: `the gateway did not answer: ${sent.error ?? 'nothing came back'}`,
      isReached: sent.error !== 'refused',
    }
  const mark = await arrivedMark(context)
  if (mark !== null) return { mark: (context.mark = mark) }
  const isThere = await arrivedUnmarked(context)
  if (!isThere) return { reason: notForwarded(sent), isReached: true }
  // Without a mark in the head everything is sent below the path of the session.
  context.mark = 'path'
  const again = await tryRoute(context, demo, route)
  const second = await arrivedMark(context)
  if (second !== null) return { mark: (context.mark = second) }
  context.mark = null
  return {
    reason: `marks lost: X-Svc-Session, baggage and the credential of the session were sent and did not arrive, and /s/${context.id}${route.path} ${again.status === null ? 'was not answered' : `was answered with ${again.status}`}`,
    isReached: true,
  }
}

function notForwarded({ status, target }: SentRequest): string {
  if (status === 401 || status === 403)
    return `not forwarded: refused with ${status}. Give a credential with --header or --bearer, or as route.bearer`
  return `not forwarded: ${target} was answered with ${status}, and nothing arrived at the upstream`
}

async function tryRoute(context: RunContext, demo: Demo, route: DemoRoute): Promise<SentRequest> {
  const options: SendOptions = {
    context,
    traffic: 0,
    variantNumber: null,
    variant: null,
    startedAtMs: context.client.clock(),
    timeoutMs: TIMEOUT_MS,
    leaveAfterMs: null,
    acknowledge: null,
    answers: new AnswerBudget(context.bounds.answerBytes),
    signal: context.signal,
  }
  const path = route.path.replaceAll('**', `${context.id}/route-check`).replaceAll('*', context.id)
  const isMcp = sendsKind(demo, 'mcp')
  if (isMcp) {
    const [answer] = await sendMcp(
      {
        kind: 'mcp',
        path,
        actions: [route.action],
        revision: null,
        token: route.bearer,
        elicit: null,
        headers: route.headers,
      },
      options,
    )
    return answer!
  }
  if (route.login !== null) return (await sendLogin({ ...route.login, path }, options))[0]!
  if (sendsKind(demo, 'grpc'))
    return callGrpc(
      { path, messages: [Buffer.alloc(0)], isWeb: sendsKind(demo, 'grpc', isWebCall) },
      { headers: route.headers, bearer: route.bearer },
      options,
    )
  const has = context.target.fields.some(([name]) => name.toLowerCase() === 'authorization')
  const needsKey = !has && (sendsKind(demo, 'llm') || sendsKind(demo, 'a2a'))
  return sendRequest(
    {
      method: 'GET',
      path,
      headers: route.headers,
      body: null,
      bearer: route.bearer ?? (needsKey ? sessionKey(context) : null),
      certificate: route.certificate,
      serverName: route.serverName,
    },
    options,
  )
}

function sendsKind({ steps }: Demo, kind: string, isMeant = (_traffic: unknown): boolean => true): boolean {
  return steps.some(({ send }) =>
    (Array.isArray(send) ? send : [send]).some(one => isRecord(one) && kind in one && isMeant(one[kind])),
  )
}

const isWebCall = (call: unknown): boolean => isRecord(call) && call.web === true

/** The mark of what arrived in the session of the run, or with a mark of the run in that of a lane: whichever is found first. */
async function arrivedMark(context: RunContext): Promise<Mark | null> {
  const searches = [null, ...context.lanes].map(lane => markAt(context, lane))
  const found = await Promise.any(
    searches.map(async search => {
      const mark = await search
      return mark ?? Promise.reject(new Error('not there'))
    }),
  ).catch(() => null)
  // An upstream that does not answer is a mistake of another kind.
  if (found === null) await Promise.all(searches)
  return found
}

async function markAt(context: RunContext, lane: string | null): Promise<Mark | null> {
  const { id } = context
  const { control, session } = sessionsOf(context, lane)
  const { body } = await control.ask('POST', `/_svc/verify?session=${session}`, {
    match: lane === null ? {} : marksOf(context),
    at_least: 1,
    within_ms: WITHIN_MS,
  })
  const ids = isRecord(body) && Array.isArray(body.requests) ? body.requests : []
  if (ids.length === 0) return null
  const { body: entry } = await control.ask('GET', `/_svc/requests/${String(ids.at(-1))}?session=${session}`)
  return lane === null ? ((entry as Entry).session_from as Mark) : (markIn(entry as Entry, id) ?? 'path')
}

/** Whether the request arrived and belongs to no session of the run: it is found by the run in its path. */
async function arrivedUnmarked({ control, id }: RunContext): Promise<boolean> {
  const { status, body } = await control.ask('POST', '/_svc/verify?scope=instance', {
    match: { url: { contains: id } },
    at_least: 1,
    within_ms: 300,
  })
  return status === 200 && isRecord(body) && body.verified === true
}
