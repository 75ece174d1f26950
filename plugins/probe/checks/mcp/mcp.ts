/** MCP servers behind the gateway: header fields, sessions, streams, lists, and the way to a token. */
import { isRecord } from 'svc/plugin'
import { defineCheck, fail, note, pass, skip, warn, worst } from '../../catalog/check.ts'
import type { Check, Verdict } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import type { ExchangeRecord } from '../../client/exchange.ts'
import { ROOT } from '../../client/step-runner.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { valuesOf } from '../../client/response-parser.ts'
import { each, END, one, RECEIVE, rfc, wait } from '../builders.ts'
import { eventsOf, medianLagMs } from '../event-stream.ts'
import { eventReply, jsonReply, rpc, rpcAnswer, rpcRequest, rpcResult } from '../json-rpc.ts'
import { hasSameValues, jsonDifferences } from '../llm/json-values.ts'
import { parsed } from '../llm/chat.ts'

const STATELESS = '2026-07-28'
const LEGACY = '2025-11-25'
const SESSION = 'probe-session-0123456789'
const OTHER_SESSION = 'probe-session-of-another-client'
const GAP_MS = 400
const MODERN: Field[] = [['MCP-Protocol-Version', STATELESS]]
const CALLED: Field[] = [...MODERN, ['Mcp-Method', 'tools/call'], ['Mcp-Name', 'echo'], ['Mcp-Param-Text', 'probe']]
const callParams = (marker: string): object => ({
  name: 'echo',
  arguments: { text: marker },
  _meta: { 'io.modelcontextprotocol/protocolVersion': STATELESS, 'io.modelcontextprotocol/clientCapabilities': {} },
})
const RESULT = { content: [{ type: 'text', text: 'probe' }], isError: false }

/** Events of a call with progress. */
const PROGRESS: object[] = [
  ...[1, 2, 3, 4, 5].map(progress => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 'p', progress },
  })),
  { jsonrpc: '2.0', id: 1, result: RESULT },
]

type McpCheck = Omit<Check, 'group' | 'since'>

/** Judges only where requests reach the upstream as they are. */
function mcpCheck({ judge, when, ...check }: McpCheck): Check {
  return defineCheck({
    ...check,
    group: 'mcp',
    since: '2026.1',
    when: { ...when, judgesRefusal: true, http11: true },
    judge(evidence, facts, direct) {
      const [first] = evidence.calls
      if (when?.noDirect !== true && evidence.calls.every(({ count }) => count === 0))
        return skip(`not routed: ${first?.status ?? 'closed'}`)
      return judge(evidence, facts, direct)
    },
  })
}

const legacyFields = (session: string): Field[] => [
  ['MCP-Protocol-Version', LEGACY],
  ['Mcp-Session-Id', session],
]

const sessionIdOf = ({ calls }: ExchangeRecord): string | undefined =>
  valuesOf(calls[0]?.response?.fields ?? [], 'mcp-session-id')[0]

/** Starts a session, whose id the upstream gives. */
const initializes = (label: string, session: string): RequestSpec =>
  rpc(label, 'initialize', {
    params: marker => ({
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: marker, version: '1' },
    }),
    script: () =>
      rpcResult({ protocolVersion: LEGACY, capabilities: { tools: {} }, serverInfo: { name: 'probe', version: '1' } }, [
        ['Mcp-Session-Id', session],
      ]),
  })

const optional = (evidence: Evidence, label: string): Call | undefined =>
  evidence.calls.find(call => call.label === label)

const LISTS: Record<string, { key: string; items: Record<string, unknown>[] }> = {
  'tools/list': {
    key: 'tools',
    items: [
      {
        name: 'probe_deep',
        title: 'Deep',
        description: 'Tür, 50 %',
        inputSchema: {
          type: 'object',
          properties: {
            a: {
              anyOf: [
                { type: 'string', pattern: '^x' },
                { type: 'array', items: { $ref: '#/$defs/n' }, maxItems: 3 },
              ],
            },
          },
          $defs: { n: { type: 'number', minimum: 0.5, 'x-probe': true } },
          additionalProperties: false,
        },
        outputSchema: { type: 'object', properties: { b: { type: 'integer' } } },
        annotations: { readOnlyHint: true, destructiveHint: false },
        _meta: { 'probe.example/meta': { deep: [1, { two: null }] } },
        'x-unknown': 'kept',
      },
      { name: 'probe_plain', inputSchema: { type: 'object' } },
    ],
  },
  'resources/list': {
    key: 'resources',
    items: [
      { uri: 'probe://a?b=%2F', name: 'probe_resource', mimeType: 'text/plain', size: 12, _meta: { kept: true } },
    ],
  },
  'prompts/list': {
    key: 'prompts',
    items: [{ name: 'probe_prompt', description: 'p', arguments: [{ name: 'x', required: true }], _meta: { kept: 1 } }],
  },
}

function judgeList(call: Call, key: string, items: readonly Record<string, unknown>[]): Verdict[] {
  const result = rpcAnswer(call)?.result
  const back = isRecord(result) && Array.isArray(result[key]) ? result[key].filter(isRecord) : []
  const found = items.flatMap((item): Verdict[] => {
    const name = String(item.name)
    const same = back.find(one => typeof one.name === 'string' && one.name.endsWith(name))
    if (same === undefined) return [fail(`${call.label}: ${name} is lost`)]
    const { missing = [], changed = [] } = jsonDifferences(JSON.stringify(item), JSON.stringify(same)) ?? {}
    const wrong = [...missing, ...changed].filter(path => path !== '/name')
    if (wrong.length > 0) return [fail(`${call.label}: lost or changed in ${name}: ${wrong.slice(0, 5).join(', ')}`)]
    return same.name === name ? [] : [note(`${call.label}: ${name} is called ${String(same.name)}`)]
  })
  if (isRecord(result) && result.nextCursor !== 'probe-cursor') found.push(fail(`${call.label}: the cursor is lost`))
  return found
}

/** Where the metadata of a protected resource is, as the challenge says. */
function metadataUrlOf(record: ExchangeRecord | undefined): string | null {
  const challenge = valuesOf(record?.calls[0]?.response?.fields ?? [], 'www-authenticate').join(', ')
  return /resource_metadata="([^"]*)"/.exec(challenge)?.[1] ?? null
}

const bodyOf = (record: ExchangeRecord | undefined): Record<string, unknown> =>
  parsed(record?.calls[0]?.response?.body.toString('utf8') ?? '') ?? {}
const issuerIn = (record: ExchangeRecord | undefined): string | null => {
  const [first] = [bodyOf(record).authorization_servers].flat()
  return typeof first === 'string' ? first : null
}

/** The metadata of an issuer (RFC 8414, 3.1). */
function issuerMetadataUrl(issuer: string): string | null {
  if (!URL.canParse(issuer)) return null
  const { origin, pathname } = new URL(issuer)
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`
}

/** A URL is fetched only if its origin is the gateway's. */
function fetchable(
  label: string,
  url: string | null,
  origin: string,
): { route: string; requests: RequestSpec[] } | null {
  if (url === null || !URL.canParse(url) || new URL(url).origin !== new URL(origin).origin) return null
  const { pathname, search } = new URL(url)
  return { route: ROOT, requests: [{ label, path: `${pathname}${search}`, noMarker: true, isValid: false }] }
}

export const MCP_CHECKS: Check[] = [
  mcpCheck({
    id: 'MCP-HEAD',
    title: 'Header fields of a call',
    level: 'other-spec',
    sources: [{ spec: `MCP ${STATELESS}` }],
    page: {
      sent: 'tools/call with Mcp-Method, Mcp-Name, Mcp-Param-Text and MCP-Protocol-Version; then one whose Mcp-Name is not that of the body.',
      expected: 'The fields arrive as they are; the one that is wrong is refused or arrives as it is.',
      why: 'Servers compare the fields with the body and refuse a call whose fields were changed.',
    },
    plan: () =>
      each([
        rpc('call', 'tools/call', { params: callParams, fields: CALLED, script: () => rpcResult(RESULT) }),
        rpc('lie', 'tools/call', {
          params: callParams,
          fields: [...MODERN, ['Mcp-Method', 'tools/call'], ['Mcp-Name', 'other']],
          script: () =>
            jsonReply({ jsonrpc: '2.0', id: 1, error: { code: -32020, message: 'header mismatch' } }, { status: 400 }),
        }),
      ]),
    judge(evidence) {
      const call = evidence.call('call')
      if (call.arrival === null) return skip(`not routed: ${call.status ?? 'closed'}`)
      const wrong = CALLED.filter(([name, value]) => call.arrival!.values(name.toLowerCase()).join() !== value)
      if (wrong.length > 0) return fail(`lost or changed: ${wrong.map(([name]) => name).join(', ')}`)
      const { arrival } = evidence.call('lie')
      return arrival !== null && arrival.values('mcp-name').join() === 'echo'
        ? warn('a wrong Mcp-Name is repaired without a word')
        : pass()
    },
  }),
  mcpCheck({
    id: 'MCP-SESSION',
    title: 'Session id',
    level: 'other-spec',
    sources: [{ spec: `MCP ${LEGACY}` }],
    page: {
      sent: 'initialize of two clients; with the ids that came back, a list of the first, a call of the second, and the end of the first session; then a call with the id that has ended, and one with an unknown id.',
      expected: 'Each reaches the session of its client; ids that have ended or are unknown are refused with 404.',
      why: 'Without its id a client talks to a server that does not know it, or to the session of somebody else.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        { requests: [initializes('initialize', SESSION)] },
        { requests: [initializes('initialize of another client', OTHER_SESSION)] },
      ],
      follow(records) {
        const [id, other] = records.map(sessionIdOf)
        if (id === undefined || other === undefined) return null
        const fields = legacyFields(id)
        const notFound = jsonReply(
          { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'no session' } },
          { status: 404 },
        )
        const next: RequestSpec[] = [
          rpc('list', 'tools/list', { fields, script: () => rpcResult({ tools: [] }) }),
          rpc('call', 'tools/call', {
            fields: legacyFields(other),
            params: callParams,
            script: () => rpcResult(RESULT),
          }),
          { label: 'delete', method: 'DELETE', path: '', fields, isValid: false },
          rpc('ended', 'tools/list', { fields, isValid: false, script: () => notFound }),
          rpc('unknown', 'tools/list', {
            fields: legacyFields('unknown-session'),
            isValid: false,
            script: () => notFound,
          }),
        ]
        const request = next[records.length - 2]
        return request === undefined ? null : { requests: [request] }
      },
    }),
    judge(evidence) {
      const first = evidence.call('initialize')
      const second = evidence.call('initialize of another client')
      if (first.count === 0) return skip(`not routed: ${first.status ?? 'closed'}`)
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
  }),
  mcpCheck({
    id: 'MCP-STREAM',
    title: 'Streams',
    level: 'integrity',
    sources: [{ spec: 'MCP' }],
    page: {
      sent: 'A call with five notifications of progress, 400 ms apart; a GET stream that is cut, and its resumption with Last-Event-ID.',
      expected: 'Events come as they are sent, with their ids, and the resumption reaches the upstream.',
      why: 'Progress that comes with the result is not progress, and lost events are lost results.',
      configure: { nginx: 'proxy_buffering off;' },
    },
    plan: () => ({
      inOrder: true,
      connections: [
        rpc('progress', 'tools/call', {
          params: marker => ({ ...callParams(marker), _meta: { progressToken: 'p' } }),
          fields: legacyFields(SESSION),
          script: () =>
            eventReply(
              PROGRESS.map((value, index) => ({ id: `e${index + 1}`, value })),
              { gapMs: GAP_MS },
            ),
        }),
        ...[
          { label: 'stream', last: null, ids: ['s1', 's2'], isCut: true },
          { label: 'resumed', last: 's2', ids: ['s3'], isCut: false },
        ].map(
          ({ label, last, ids, isCut }): RequestSpec => ({
            label,
            path: '',
            isValid: false,
            http11: true,
            fields: [
              ['Accept', 'text/event-stream'],
              ...legacyFields(SESSION),
              ...(last === null ? [] : ([['Last-Event-ID', last]] as const)),
            ],
            script: () =>
              eventReply(
                ids.map(id => ({
                  id,
                  value: { jsonrpc: '2.0', method: 'notifications/message', params: { data: id } },
                })),
                { isCut },
              ),
          }),
        ),
      ].map(request => ({ requests: [request] })),
    }),
    judge(evidence) {
      const progress = evidence.call('progress')
      if (progress.count === 0) return skip(`not routed: ${progress.status ?? 'closed'}`)
      const found: Verdict[] = []
      const idsOf = (call: Call): string =>
        eventsOf(call)
          .map(({ id }) => id)
          .join()
      if (idsOf(progress) !== 'e1,e2,e3,e4,e5,e6')
        found.push(fail('progress: events or their ids are lost or repeated'))
      else if (eventsOf(progress).some(({ data }, index) => !hasSameValues(PROGRESS[index]!, data)))
        found.push(fail('progress: an event is changed'))
      else if (medianLagMs(progress) > 1_000) found.push(warn('progress comes late: buffered'))
      const [stream, resumed] = [evidence.call('stream'), evidence.call('resumed')]
      if (stream.count === 0) found.push(note(`the GET stream is refused: ${stream.status ?? 'closed'}`))
      else if (idsOf(stream) !== 's1,s2') found.push(fail('stream: events or their ids are lost or repeated'))
      else if (resumed.count > 0 && resumed.arrival!.values('last-event-id').join() !== 's2')
        found.push(fail('Last-Event-ID does not arrive'))
      else if (idsOf(resumed) !== 's3') found.push(fail('the resumption loses or repeats events'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  mcpCheck({
    id: 'MCP-CANCEL',
    title: 'Canceled requests',
    level: 'hazard',
    sources: [],
    when: { waits: true },
    page: {
      sent: 'notifications/cancelled, and a request that the client closes after 1 s.',
      expected: 'The upstream sees both within 5 s.',
      why: 'Otherwise tools go on for nobody.',
    },
    plan: () => ({
      connections: [
        {
          requests: [
            rpc('notification', 'notifications/cancelled', {
              id: null,
              params: marker => ({ requestId: 1, reason: marker }),
              fields: legacyFields(SESSION),
              script: () => jsonReply('', { status: 202 }),
            }),
          ],
        },
        {
          leaveAfterMs: 1_000,
          requests: [
            rpc('closed', 'tools/call', {
              params: callParams,
              fields: CALLED,
              script: () => [RECEIVE, wait(9_000), END],
            }),
          ],
        },
        // The evidence is collected when this one has been answered.
        {
          requests: [
            rpc('later', 'tools/call', {
              params: callParams,
              fields: CALLED,
              isValid: false,
              timeoutMs: 15_000,
              script: () => [RECEIVE, wait(7_000), ...rpcResult(RESULT).slice(1)],
            }),
          ],
        },
      ],
    }),
    judge(evidence) {
      const found: Verdict[] = []
      if (evidence.call('notification').count === 0) found.push(warn('the notification does not arrive'))
      const { arrival, record } = evidence.call('closed')
      const endedMs = arrival?.record.ended_ms ?? null
      if (arrival !== null && (endedMs === null || endedMs > record.sentEndMs + 6_000))
        found.push(warn('the upstream does not see within 5 s that the client has closed the request'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  mcpCheck({
    id: 'MCP-AUTH',
    title: 'The way to a token',
    level: 'other-spec',
    sources: [...rfc(9728, '3.3'), ...rfc(8414, '3.3')],
    when: { noDirect: true },
    page: {
      sent: 'A POST without a token to /mcp/protected, which svc answers itself; then the metadata that the challenge names, and that of its issuer.',
      expected:
        'The challenge names metadata at the gateway, whose resource is the URL that was used; the issuer is that of its metadata.',
      why: 'Clients refuse metadata of another resource, or go past the gateway.',
      configure: { nginx: 'proxy_set_header Host $http_host;' },
    },
    plan: ({ gateway: { origin } }) => ({
      inOrder: true,
      connections: [
        {
          requests: [
            {
              label: 'challenge',
              method: 'POST',
              path: '/protected',
              noMarker: true,
              isValid: false,
              fields: [
                ['Content-Type', 'application/json'],
                ['Accept', 'application/json, text/event-stream'],
              ],
              body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
            },
          ],
        },
      ],
      follow(records) {
        if (records.length === 1) return fetchable('resource', metadataUrlOf(records[0]), origin)
        const issuer = issuerIn(records[1])
        if (records.length > 2 || issuer === null) return null
        return fetchable('issuer', issuerMetadataUrl(issuer), origin)
      },
    }),
    judge(evidence, { gateway: { origin } }) {
      const challenge = evidence.call('challenge')
      const records = evidence.exchanges.map(({ record }) => record)
      if (challenge.status !== 401) return skip(`not routed: ${challenge.status ?? 'closed'}`)
      if (challenge.values('www-authenticate').length === 0) return fail('the challenge is missing')
      const url = metadataUrlOf(records[0])
      if (url === null) return fail('the challenge has no resource_metadata')
      const isOwn = URL.canParse(url) && new URL(url).origin === new URL(origin).origin
      if (!isOwn) return fail(`resource_metadata has another origin: ${url}`, { url })
      const resource = optional(evidence, 'resource')
      if (resource?.status !== 200) return fail(`the metadata is answered with ${resource?.status ?? 'nothing'}`)
      const used = `${new URL(origin).origin}${challenge.record.sent.toString('latin1').split(' ')[1] ?? ''}`
      const named = bodyOf(records[1]).resource
      if (named !== used) return fail(`the resource is ${String(named)}, not ${used}`)
      const issuer = issuerIn(records[1])
      const metadata = optional(evidence, 'issuer')
      if (issuer === null) return fail('the metadata names no issuer')
      if (metadata === undefined) return note(`the issuer is elsewhere: ${issuer}`)
      const said = bodyOf(records[2]).issuer
      return metadata.status === 200 && said === issuer
        ? pass()
        : fail(`the metadata of ${issuer} is that of ${String(said ?? metadata.status)}`)
    },
  }),
  mcpCheck({
    id: 'MCP-TOKEN',
    title: 'Tokens are not handed on',
    level: 'hazard',
    sources: [{ spec: 'MCP authorization' }],
    when: { routes: ['mcp.token'] },
    page: {
      sent: "A call with a token of the gateway's own issuer, from the file of --routes.",
      expected: 'The upstream gets another token, or none.',
      why: 'A token for the gateway is not meant for servers behind it, which could use it elsewhere.',
    },
    plan: ({ mcpToken }) =>
      one(
        rpc('call', 'tools/call', {
          params: callParams,
          fields: [...CALLED, ['Authorization', `Bearer ${mcpToken ?? ''}`]],
          script: () => rpcResult(RESULT),
        }),
      ),
    judge: ({ first }, { mcpToken }) =>
      first.arrival?.values('authorization').includes(`Bearer ${mcpToken}`) === true
        ? warn("the token of the gateway's issuer arrives at the upstream")
        : pass(),
  }),
  mcpCheck({
    id: 'MCP-LIST',
    title: 'Lists are whole',
    level: 'integrity',
    sources: [{ spec: 'MCP' }],
    page: {
      sent: 'Lists of tools, resources and prompts with deep schemas, annotations, _meta, unknown members and a cursor.',
      expected: 'All of it comes back; other names are noted.',
      why: 'A model calls a tool wrongly whose schema has lost a keyword.',
    },
    plan: () =>
      each(
        Object.entries(LISTS).map(([method, { key, items }]) =>
          rpc(method, method, {
            params: marker => ({ _meta: { probe: marker } }),
            fields: [...MODERN, ['Mcp-Method', method]],
            script: () => rpcResult({ [key]: items, nextCursor: 'probe-cursor' }),
          }),
        ),
      ),
    judge(evidence) {
      const found = Object.entries(LISTS).flatMap(([method, { key, items }]) => {
        const call = evidence.call(method)
        return call.count === 0 ? [] : judgeList(call, key, items)
      })
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  mcpCheck({
    id: 'MCP-EXT',
    title: 'Unknown methods',
    level: 'observation',
    sources: [],
    page: {
      sent: 'The method x/probe, an unknown notification, and an unknown capability.',
      expected: 'What the gateway does is reported.',
      why: 'Extensions of the protocol need gateways that let them pass.',
    },
    plan: () =>
      each([
        rpc('method', 'x/probe', { params: marker => ({ marker }), script: () => rpcResult({ ok: true }) }),
        rpc('notification', 'notifications/x-probe', {
          id: null,
          params: marker => ({ marker }),
          script: () => jsonReply('', { status: 202 }),
        }),
        rpc('capability', 'initialize', {
          params: marker => ({
            protocolVersion: LEGACY,
            capabilities: { 'x-probe': { kept: true } },
            clientInfo: { name: marker, version: '1' },
          }),
          script: () =>
            rpcResult({ protocolVersion: LEGACY, capabilities: {}, serverInfo: { name: 'probe', version: '1' } }),
        }),
      ]),
    judge(evidence) {
      const wordOf = (call: Call): string => {
        if (call.count > 0) return 'passes'
        const error = rpcAnswer(call)?.error
        return isRecord(error) ? `${String(error.code)} by the gateway` : `${call.status ?? 'closed'} by the gateway`
      }
      const capability = evidence.call('capability')
      const params = rpcRequest(capability)?.params
      const isKept = isRecord(params) && isRecord(params.capabilities) && 'x-probe' in params.capabilities
      const values = {
        method: wordOf(evidence.call('method')),
        notification: wordOf(evidence.call('notification')),
        capability: capability.count === 0 ? wordOf(capability) : isKept ? 'passes' : 'removed',
      }
      return note(
        Object.entries(values)
          .map(([what, word]) => `${what} ${word}`)
          .join(', '),
        values,
      )
    },
  }),
]
