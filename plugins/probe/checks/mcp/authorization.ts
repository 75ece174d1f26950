/** The way to a token through the gateway, and tokens that must not be handed on. */
import { fail, note, pass, skip, warn } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import type { ExchangeRecord } from '../../client/exchange.ts'
import { ROOT } from '../../client/step-runner.ts'
import type { RequestSpec } from '../../client/request.ts'
import { valuesOf } from '../../client/response-parser.ts'
import { one, rfc } from '../builders.ts'
import { rpc, rpcResult } from '../json-rpc.ts'
import { parsed } from '../llm/chat.ts'
import { callParams, RESULT, mcpCheck, CALLED } from './mcp-check.ts'

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

const optional = (evidence: Evidence, label: string): Call | undefined =>
  evidence.calls.find(call => call.label === label)

export const MCP_AUTH = mcpCheck({
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
})

export const MCP_TOKEN = mcpCheck({
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
})
