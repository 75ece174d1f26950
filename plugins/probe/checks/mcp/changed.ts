/** Clients learn that the tools of a server have changed, and get the new list. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, warn, type Facts } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import { bytes, KEEP, wait, type Action } from '../builders.ts'
import { eventsOf } from '../event-stream.ts'
import { eventReply, rpc, rpcAnswer, rpcResult } from '../json-rpc.ts'
import { ARRIVED_ID } from '../../upstream/rpc-message.ts'
import { initialized } from './discovery.ts'
import { mcpCheck, unreached } from './mcp-check.ts'
import { ENVELOPE, requestFields, serverOf } from './revisions.ts'
import { initializes, inSession, readies, SESSION } from './session-requests.ts'

const CHANGED = 'notifications/tools/list_changed'
const OLD = 'probe_old'
const NEW = 'probe_new'
/** From the beginning of the stream to the notification, and from there to its end: what comes later is too late. */
const BEFORE_MS = 500
const AFTER_MS = 5_000

const SUBSCRIPTION = { _meta: { 'io.modelcontextprotocol/subscriptionId': ARRIVED_ID } }

/** A stream whose second event, if there are two, is the notification. */
function announces(first: object | null, params: object): Action[] {
  const notification = { jsonrpc: '2.0', method: CHANGED, ...(Object.keys(params).length === 0 ? {} : { params }) }
  const [receive, head, ...events] = eventReply([
    ...(first === null ? [] : [{ value: first }]),
    { value: notification },
  ])
  const last = events.length - 3
  return [
    receive!,
    head!,
    ...events.slice(0, last),
    wait(BEFORE_MS),
    events[last]!,
    wait(AFTER_MS),
    bytes('0\r\n\r\n'),
    KEEP,
  ]
}

const tools = (name: string, isStateless: boolean): Action[] =>
  rpcResult({ ...(isStateless ? { resultType: 'complete' } : {}), tools: [{ name, inputSchema: { type: 'object' } }] })

/** The first list is the old one, all others are new. What a gateway keeps of an earlier attempt has another cursor. */
const listOf = (facts: Pick<Facts, 'mcp'>, label: 'before' | 'after'): RequestSpec => {
  const { isStateless } = serverOf(facts)
  return rpc(label, 'tools/list', {
    params: marker => ({ cursor: marker, ...(isStateless ? { _meta: { ...ENVELOPE } } : {}) }),
    fields: requestFields(facts, 'tools/list'),
    ...(label === 'after'
      ? { sameAs: 'before' }
      : { script: () => tools(OLD, isStateless), next: () => tools(NEW, isStateless) }),
  })
}

function streamOf(facts: Pick<Facts, 'mcp'>): RequestSpec {
  const patience = { silenceMs: AFTER_MS + 2_000, isValid: false }
  if (!serverOf(facts).isStateless)
    return {
      label: 'stream',
      path: '',
      http11: true,
      fields: [['Accept', 'text/event-stream'], ...requestFields(facts, '')],
      script: () => announces(null, {}),
      ...patience,
    }
  const acknowledged = {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true }, ...SUBSCRIPTION },
  }
  return rpc('stream', 'subscriptions/listen', {
    id: 41,
    params: marker => ({ notifications: { toolsListChanged: true }, _meta: { ...ENVELOPE, probe: marker } }),
    fields: requestFields(facts, 'subscriptions/listen'),
    script: () => announces(acknowledged, SUBSCRIPTION),
    ...patience,
  })
}

const namesIn = (call: Call): string[] => {
  const result = rpcAnswer(call)?.result
  const tools: unknown[] = isRecord(result) && Array.isArray(result.tools) ? result.tools : []
  return tools.flatMap(tool => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []))
}

export const MCP_CHANGED = mcpCheck({
  id: 'MCP-CHANGED',
  title: 'Changed lists are announced',
  level: 'integrity',
  since: '2026.2',
  sources: [{ spec: 'MCP' }],
  when: { waits: true },
  page: {
    sent: 'A list of tools; a stream from the server, by GET in a session or by subscriptions/listen, on which it announces that the tools have changed; then the list again.',
    expected: 'The announcement comes within 5 s, and the second list is the new one.',
    why: 'Otherwise agents call tools that are gone, and do not see new ones until they start again.',
  },
  plan: facts => {
    const { isStateless } = serverOf(facts)
    const steps = (own: Pick<Facts, 'mcp'>): RequestSpec[] => [
      listOf(own, 'before'),
      streamOf(own),
      listOf(own, 'after'),
    ]
    if (isStateless) return { inOrder: true, connections: steps(facts).map(request => ({ requests: [request] })) }
    return {
      inOrder: true,
      connections: [{ requests: [initializes('initialize', SESSION, facts)] }],
      follow(records) {
        const server = initialized(records[0])
        if (server === null) return null
        const own = { mcp: { ...serverOf(inSession(facts)), revision: server.revision, session: server.session } }
        const next = steps(own)[records.length - 1]
        if (next === undefined) return null
        return { requests: records.length === 1 ? [readies(server.fields), next] : [next] }
      },
    }
  },
  judge(evidence, facts) {
    const find = (label: string): Call | undefined => evidence.calls.find(call => call.label === label)
    const [before, stream, after] = [find('before'), find('stream'), find('after')]
    if (before === undefined || before.count === 0) return unreached(before ?? evidence.first, facts)
    const names = after === undefined ? [] : namesIn(after)
    const hasNew = names.some(name => name.endsWith(NEW))
    if (names.some(name => name.endsWith(OLD)) && !hasNew)
      return fail('the list is still the old one after the tools have changed', { arrived: after!.count > 1 })
    if (stream === undefined || stream.count === 0)
      return note(`no stream from the server: ${stream?.status ?? 'closed'}`)
    if (!eventsOf(stream).some(({ data }) => data.includes(CHANGED)))
      return warn('the announcement that the tools have changed does not come within 5 s')
    return hasNew ? pass() : note(`the new list is not answered: ${after?.status ?? 'closed'}`)
  },
})
