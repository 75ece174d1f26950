/** Why checks were skipped, and what to change so that they run. */
import type { ReportedResult } from './report.ts'

export interface SkipReason {
  count: number
  /** What they have in common, as a clause after `47 checks`. */
  reason: string
  /** Null where nothing can be changed. */
  remedy: string | null
  /** Their groups, in the order of the report. */
  groups: string[]
}

/** Reasons that match, what they have in common, and what a reader does about them. `{paths}`: where the groups are. */
const REMEDIES: [pattern: RegExp, reason: string | null, remedy: string | null][] = [
  [/^upstream spoken to in HTTP\/1\.0/, 'need HTTP/1.1 to the upstream', 'nginx: proxy_http_version 1.1;'],
  [
    /^upstream not spoken to in HTTP\/2|^not routed: the upstream is spoken to in HTTP\/1\.1/,
    'need HTTP/2 to the upstream',
    'let the gateway speak HTTP/2 with the gRPC port of svc',
  ],
  [/^--hostile$/, 'send malformed messages', 'add --hostile'],
  [/^--h2$/, 'need HTTP/2 from the client', 'add --h2, or probe the https: address'],
  [/^the gateway does not speak HTTP\/2/, 'need HTTP/2 from the client', 'enable HTTP/2 at the gateway'],
  [
    /^the upstream is not reached in HTTP\/2/,
    'need an upstream that speaks HTTP/2',
    'set SVC_GRPC_ON_HTTP=true at svc',
  ],
  [
    /^the plugin "[^"]+" of svc is /,
    'need plugins of svc that are off',
    'enable them in the section plugins of svc.yaml',
  ],
  [/^not in --routes: /, 'need routes of their own', 'name them in the file of --routes'],
  [/^not configured: /, 'need settings of the gateway', 'name them in the file of --routes'],
  [/^nothing that reads HTTP was seen/, 'need a gateway that reads HTTP, and this one forwards bytes', null],
  [/^no reuse seen/, 'need a gateway that caches', 'enable its cache, if it has one'],
  [/^no connection to the upstream is reused/, 'need connections that are reused', 'nginx: keepalive 32; in upstream'],
  [/^requests (?:have|carry) credentials/, 'need requests without credentials', 'leave --bearer and --header out'],
  [
    /^(?:WebSocket )?not routed/,
    'are not routed',
    'route {paths} to svc, or say in the file of --routes where they are',
  ],
  [/^svc's own settings|^svc itself/, 'show only settings of svc', 'see their reasons'],
  [/^ejected/, 'need an upstream in service', 'disable passive health checks for the run'],
]
/** Where the groups are that do not use the path of the probe. */
const PATHS: Readonly<Record<string, string>> = {
  llm: '/ai/openai/v1',
  gql: '/graphql',
  mcp: '/mcp',
  a2a: '/a2a/weather and /.well-known',
  oauth: '/oauth and /.well-known',
  grpc: 'svc.echo.v1.EchoService in HTTP/2',
  websocket: 'upgrades of /probe',
}

/** The most frequent first. */
export function skipReasons(results: readonly ReportedResult[]): SkipReason[] {
  const skipped = results.filter(({ verdict }) => verdict === 'skip')
  const found = new Map<string, { reason: string; remedy: string | null; groups: Set<string>; count: number }>()
  for (const { reason, group } of skipped) {
    const text = reason ?? 'no reason given'
    const [, common = null, remedy = null] = REMEDIES.find(([pattern]) => pattern.test(text)) ?? []
    const key = `${common ?? text} ${remedy ?? ''}`
    const known = found.get(key) ?? { reason: common ?? `are skipped: ${text}`, remedy, groups: new Set(), count: 0 }
    known.groups.add(group)
    known.count++
    found.set(key, known)
  }
  return [...found.values()]
    .toSorted((a, b) => b.count - a.count)
    .map(({ reason, remedy, groups, count }) => ({
      count,
      reason,
      groups: [...groups],
      remedy: remedy?.replace('{paths}', [...groups].map(group => PATHS[group] ?? '/probe').join(', ')) ?? null,
    }))
}

/** `47 checks need HTTP/1.1 to the upstream: …` */
export function skipText({ count, reason, remedy, groups }: SkipReason): string {
  const subject = `${count} check${count === 1 ? '' : 's'}`
  const verb = count === 1 ? singular(reason) : reason
  return `${subject} ${verb} (${groups.join(', ')})${remedy === null ? '' : `: ${remedy}`}`
}

/** The sentence about one check: `needs` instead of `need`. */
function singular(reason: string): string {
  return reason
    .replace(/^are /, 'is ')
    .replace(/^(need|send|show) /, '$1s ')
    .replace(' of their own', ' of its own')
}
