/** Sessions and canceled requests of MCP. */
import { fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { RequestSpec } from '../../client/request.ts'
import { END, RECEIVE, wait } from '../builders.ts'
import { arrived, jsonReply, rpc, rpcResult } from '../json-rpc.ts'
import { initialized } from './discovery.ts'
import { mcpCheck, RESULT, unreached } from './mcp-check.ts'
import { callFields, callParams, LEGACY, requestFields, serverOf, sessionFields } from './revisions.ts'
import { initializes, inSession, readies, SESSION } from './session-requests.ts'

const OTHER_SESSION = 'probe-session-of-another-client'
/** Ids of requests are unique in a session. */
const CANCELED_ID = 31
const CLOSED_ID = 32
const LATER_ID = 33

export const MCP_SESSION = mcpCheck({
  id: 'MCP-SESSION',
  title: 'Session id',
  level: 'other-spec',
  sources: [{ spec: `MCP ${LEGACY}` }],
  page: {
    sent: 'initialize of two clients; with the ids that came back, a list of the first, a call of the second, and the end of the first session; then a call with the id that has ended, and one with an unknown id.',
    expected: 'Each reaches the session of its client; ids that have ended or are unknown are refused with 404.',
    why: 'Without its id a client talks to a server that does not know it, or to the session of somebody else.',
  },
  plan: facts => ({
    inOrder: true,
    connections: [
      { requests: [initializes('initialize', SESSION, facts)] },
      { requests: [initializes('initialize of another client', OTHER_SESSION, facts)] },
    ],
    follow(records) {
      const [first, second] = records.map(record => initialized(record))
      if (first == null || second == null || first.session === null || second.session === null) return null
      const { fields, revision } = first
      const notFound = jsonReply(arrived({ jsonrpc: '2.0', error: { code: -32001, message: 'no session' } }), {
        status: 404,
      })
      const next: RequestSpec[][] = [
        [readies(fields), rpc('list', 'tools/list', { fields, script: () => rpcResult({ tools: [] }) })],
        [
          readies(second.fields),
          rpc('call', 'tools/call', {
            fields: second.fields,
            params: callParams(inSession(facts)),
            script: () => rpcResult(RESULT),
          }),
        ],
        [{ label: 'delete', method: 'DELETE', path: '', fields, isValid: false }],
        [rpc('ended', 'tools/list', { fields, isValid: false, script: () => notFound })],
        [
          rpc('unknown', 'tools/list', {
            fields: sessionFields(revision, 'unknown-session'),
            isValid: false,
            script: () => notFound,
          }),
        ],
      ]
      const requests = next[records.length - 2]
      return requests === undefined ? null : { requests }
    },
  }),
  judge(evidence, facts) {
    const first = evidence.call('initialize')
    const second = evidence.call('initialize of another client')
    if (first.count === 0) return unreached(first, facts)
    const [id] = first.values('mcp-session-id')
    const [other] = second.values('mcp-session-id')
    if (id === undefined || other === undefined) return fail('the session id does not come back')
    if (id === other) return fail('two clients get the same session id')
    const found: Verdict[] = []
    for (const [label, owner, session] of [
      ['list', first, SESSION],
      ['call', second, OTHER_SESSION],
      ['delete', first, SESSION],
    ] as const) {
      const { arrival } = evidence.call(label)
      const arrived = arrival?.values('mcp-session-id').join()
      if (arrival === null && label !== 'delete') found.push(fail(`${label}: does not reach the session`))
      else if (arrival === null) found.push(note('the end of a session does not reach the upstream'))
      else if (arrived === SESSION || arrived === OTHER_SESSION) {
        if (arrived !== session) found.push(fail(`${label}: reaches the session of another client`))
      } else found.push(fail(`${label}: the session id does not arrive`))
      const isElsewhere = arrival !== null && arrival.record.instance !== owner.arrival?.record.instance
      if (isElsewhere) found.push(fail(`${label}: reaches another replica`))
    }
    for (const [label, kind] of [
      ['ended', 'a session id that has ended'],
      ['unknown', 'an unknown session id'],
    ] as const) {
      const { status } = evidence.call(label)
      if (status !== 404) found.push(fail(`${kind} is answered with ${status ?? 'nothing'}`))
    }
    if (id !== SESSION || other !== OTHER_SESSION) found.push(note('session ids are mapped'))
    return found.length > 0 ? worst(found) : pass()
  },
})

export const MCP_CANCEL = mcpCheck({
  id: 'MCP-CANCEL',
  title: 'Canceled requests',
  level: 'hazard',
  sources: [],
  when: { waits: true },
  page: {
    sent: 'notifications/cancelled of a call that waits, and a call whose connection the client closes after 1 s.',
    expected: 'The upstream sees both within 5 s.',
    why: 'Otherwise tools go on for nobody.',
  },
  plan: facts => {
    const fields = serverOf(facts).isStateless ? sessionFields(LEGACY, SESSION) : requestFields(facts, '')
    const call = callFields(facts)
    const params = callParams(facts)
    return {
      connections: [
        {
          requests: [
            rpc('canceled', 'tools/call', {
              id: CANCELED_ID,
              params,
              fields: call,
              isValid: false,
              script: () => [RECEIVE, wait(3_000), ...rpcResult(RESULT).slice(1)],
            }),
          ],
        },
        {
          // A gateway with ids of its own forwards only the notification of a request that it knows.
          delayMs: 1_000,
          requests: [
            rpc('notification', 'notifications/cancelled', {
              id: null,
              params: marker => ({ requestId: CANCELED_ID, reason: marker }),
              fields,
              script: () => jsonReply('', { status: 202 }),
            }),
          ],
        },
        {
          leaveAfterMs: 1_000,
          requests: [
            rpc('closed', 'tools/call', {
              id: CLOSED_ID,
              params,
              fields: call,
              script: () => [RECEIVE, wait(9_000), END],
            }),
          ],
        },
        // The evidence is collected when this one has been answered.
        {
          requests: [
            rpc('later', 'tools/call', {
              id: LATER_ID,
              params,
              fields: call,
              isValid: false,
              timeoutMs: 15_000,
              script: () => [RECEIVE, wait(7_000), ...rpcResult(RESULT).slice(1)],
            }),
          ],
        },
      ],
    }
  },
  judge(evidence) {
    const found: Verdict[] = []
    if (evidence.call('notification').count === 0) found.push(warn('the notification does not arrive'))
    const { arrival, record } = evidence.call('closed')
    const endedMs = arrival?.record.ended_ms ?? null
    if (arrival !== null && (endedMs === null || endedMs > record.sentEndMs + 6_000))
      found.push(warn('the upstream does not see within 5 s that the client has closed the request'))
    return found.length === 0 ? pass() : worst(found)
  },
})
