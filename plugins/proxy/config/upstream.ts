/** Creates the upstreams of svc.yaml. */
import { dirname, resolve } from 'node:path'
import { fillVariables, headerProblem, pointerTokens, readPemCertificates, trimEndCharacters } from 'svc/toolkit'
import type { Svc } from 'svc/plugin'
import type { Mode, UpstreamOptions } from './options.ts'

export interface Upstream {
  name: string
  /** Scheme, authority and path, without query and userinfo. The path has no trailing slash. */
  target: URL
  /** IP address to which to connect; null: that of the target's name. */
  address: string | null
  /** As configured; the control plane can change it. */
  mode: Mode
  /** Absolute path of the folder with recordings. */
  folder: string
  /** Factor of recorded waiting times; 0 sends at once. */
  timing: number
  onMiss: 'error' | 'nearest'
  /** In lower case, sorted, without ignored and redacted ones. */
  matchHeaders: readonly string[]
  ignore: Exclusions
  redact: Exclusions
  /** Headers sent to the upstream, with the values of variables. */
  setHeaders: readonly (readonly [name: string, value: string])[]
  timeoutMs: number
  /** Whether exchanges with a model also become rules. */
  isLlm: boolean
  /** Additional certificate authority as PEM. */
  ca: string | null
}

export interface Exclusions {
  query: ReadonlySet<string>
  /** In lower case. */
  headers: ReadonlySet<string>
  /** Tokens of JSON pointers. */
  json: readonly (readonly string[])[]
}

export interface ProblemReport {
  (at: string, message: string, remedy: string): void
}

/** Creates the upstreams. Invalid ones are reported and left out. */
export function createUpstreams(svc: Svc<UpstreamOptions[]>): Upstream[] {
  const report: ProblemReport = (at, message, remedy) => svc.reportLoadError({ at, message, remedy })
  const made: Upstream[] = []
  for (const [index, options] of svc.options.entries()) {
    const at = `proxy[${index}]`
    const upstream = createUpstream(options, at, svc, report)
    if (upstream === null) continue
    if (made.some(({ name }) => name === upstream.name))
      report(`${at}.name`, `the name "${upstream.name}" is already used by another upstream`, 'choose another name')
    else if (made.some(({ folder }) => folder === upstream.folder))
      report(`${at}.recordings`, 'another upstream records into the same folder', 'choose another folder')
    else made.push(upstream)
  }
  return made
}

function createUpstream(
  options: UpstreamOptions,
  at: string,
  svc: Svc<UpstreamOptions[]>,
  report: ProblemReport,
): Upstream | null {
  const base = svc.config.configFile === null ? process.cwd() : dirname(resolve(svc.config.configFile))
  const target = readTarget(options.target, at, report)
  const setHeaders = readSetHeaders(options.set_headers, at, svc, report)
  const ca = options.ca_file === undefined ? null : readAuthority(resolve(base, options.ca_file), at, svc, report)
  if (target === null || setHeaders === null || ca === undefined) return null
  const ignore = exclusions(options.ignore)
  const redact = exclusions(options.redact)
  const { timing } = options
  return {
    name: options.name,
    target,
    address: null,
    mode: options.mode,
    folder: resolve(base, options.recordings ?? `recordings/${options.name}`),
    timing: timing === 'none' ? 0 : timing === 'original' ? 1 : timing,
    onMiss: options.on_miss,
    matchHeaders: [...new Set(options.match_headers.map(name => name.toLowerCase()))].sort(),
    ignore,
    redact,
    setHeaders,
    timeoutMs: options.timeout_ms,
    isLlm: options.as === 'llm',
    ca,
  }
}

function readTarget(text: string, at: string, report: ProblemReport): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    report(`${at}.target`, 'the target is not a valid URL', 'write a URL such as https://billing.example:8443/v2')
    return null
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    report(
      `${at}.target`,
      'the target has credentials, a query or a fragment',
      'write scheme, host, port and path only; send credentials with set_headers',
    )
    return null
  }
  url.pathname = trimEndCharacters(url.pathname, '/')
  return url
}

function readSetHeaders(
  given: Record<string, string>,
  at: string,
  svc: Svc<UpstreamOptions[]>,
  report: ProblemReport,
): [string, string][] | null {
  const missing = new Set<string>()
  const headers = Object.entries(given).map(([name, template]): [string, string] => [
    name,
    fillVariables(template, variable => {
      const value = svc.environment(variable)
      if (value === undefined || value === '') missing.add(variable)
      return value ?? ''
    }),
  ])
  for (const variable of missing)
    report(`${at}.set_headers`, `the variable ${variable} is not set`, 'set it in the environment of svc')
  const wrong = headers.find(([name, value]) => headerProblem(name, value) !== null)
  if (wrong !== undefined)
    report(
      `${at}.set_headers`,
      `the header ${JSON.stringify(wrong[0])} can't be set: it is reserved, or its value is not printable ASCII`,
      'remove it',
    )
  return missing.size > 0 || wrong !== undefined ? null : headers
}

function readAuthority(
  file: string,
  at: string,
  svc: Svc<UpstreamOptions[]>,
  report: ProblemReport,
): string | undefined {
  svc.watch(file)
  const read = readPemCertificates(file)
  if ('pem' in read) return read.pem
  report(`${at}.ca_file`, read.message, read.remedy)
  return undefined
}

function exclusions(given: { query?: string[]; headers?: string[]; json?: string[] }): Exclusions {
  return {
    query: new Set(given.query ?? []),
    headers: new Set((given.headers ?? []).map(name => name.toLowerCase())),
    json: (given.json ?? []).map(pointer => pointerTokens(pointer) ?? []),
  }
}
