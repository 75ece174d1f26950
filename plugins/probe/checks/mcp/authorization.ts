/** The way to a token through the gateway, and tokens that must not be handed on. */
import { fail, note, pass, skip, warn } from '../../catalog/check.ts'
import type { CauseId } from '../../catalog/causes.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import type { ExchangeRecord } from '../../client/exchange.ts'
import { ROOT } from '../../client/step-runner.ts'
import type { RequestSpec } from '../../client/request.ts'
import { valuesOf } from '../../client/response-parser.ts'
import { one, rfc } from '../builders.ts'
import { rpc, rpcResult } from '../json-rpc.ts'
import { parsed } from '../llm/chat.ts'
import { judgeOwnUrls, ownAnswerProblem, wrongOrigin, wrongUrl, type WrongUrl } from '../own-urls.ts'
import { mcpCheck, RESULT } from './mcp-check.ts'
import { callFields, callParams } from './revisions.ts'

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
  level: 'hazard',
  sources: [...rfc(9728, '3.3'), ...rfc(8414, '3.3')],
  when: { showsOwnAnswers: true },
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
  judge(evidence, facts, direct) {
    const challenge = evidence.call('challenge')
    const own = direct === null ? null : lookAt(direct, facts.directOrigin)
    const problem = ownAnswerProblem(direct?.call('challenge').status, 401)
    if (problem !== null) return problem
    if (challenge.status !== 401) return skip(`not routed: ${challenge.status ?? 'closed'}`)
    const { broken, wrong, note: text } = lookAt(evidence, facts.gateway.origin)
    if (wrong.length > 0) return judgeOwnUrls(wrong, own?.wrong ?? [], facts)
    if (broken === null) return text === null ? pass() : note(text)
    return own?.broken === broken ? skip(`svc's own settings: without the gateway too, ${broken}`) : fail(broken)
  },
})

/** What a client would stumble over, from the challenge to the metadata of the issuer. */
interface Way {
  /** What is missing. */
  broken: string | null
  wrong: WrongUrl[]
  note: string | null
}

function lookAt(evidence: Evidence, origin: string): Way {
  const way = (found: Partial<Way>): Way => ({ broken: null, wrong: [], note: null, ...found })
  const wrong = (cause: CauseId | null, text: string): WrongUrl[] => (cause === null ? [] : [{ cause, text }])
  const records = evidence.exchanges.map(({ record }) => record)
  const challenge = evidence.call('challenge')
  if (challenge.values('www-authenticate').length === 0) return way({ broken: 'the challenge is missing' })
  const url = metadataUrlOf(records[0])
  if (url === null) return way({ broken: 'the challenge has no resource_metadata' })
  const away = wrong(wrongOrigin(url, origin), `resource_metadata has another origin: ${url}`)
  if (away.length > 0) return way({ wrong: away })
  const resource = optional(evidence, 'resource')
  if (resource?.status !== 200) return way({ broken: `the metadata is answered with ${resource?.status ?? 'nothing'}` })
  const used = `${new URL(origin).origin}${challenge.record.sent.toString('latin1').split(' ')[1] ?? ''}`
  const named = String(bodyOf(records[1]).resource)
  const other = wrong(wrongUrl(named, used), `the resource is ${named}, not ${used}`)
  if (other.length > 0) return way({ wrong: other })
  const issuer = issuerIn(records[1])
  if (issuer === null) return way({ broken: 'the metadata names no issuer' })
  const metadata = optional(evidence, 'issuer')
  if (metadata === undefined) return way({ note: `the issuer is elsewhere: ${issuer}` })
  if (metadata.status !== 200) return way({ broken: `the metadata of ${issuer} is answered with ${metadata.status}` })
  const said = String(bodyOf(records[2]).issuer)
  return way({ wrong: wrong(wrongUrl(said, issuer), `the metadata of ${issuer} is that of ${said}`) })
}

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
  plan: facts =>
    one(
      rpc('call', 'tools/call', {
        params: callParams(facts),
        fields: [...callFields(facts), ['Authorization', `Bearer ${facts.mcpToken ?? ''}`]],
        script: () => rpcResult(RESULT),
      }),
    ),
  judge: ({ first }, { mcpToken }) =>
    first.arrival?.values('authorization').includes(`Bearer ${mcpToken}`) === true
      ? warn("the token of the gateway's issuer arrives at the upstream")
      : pass(),
})
