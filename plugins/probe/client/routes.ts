/** Where groups live at gateways that have addresses of their own: the file of `--routes`. */
import { isRecord, nearest } from 'svc/toolkit'
import { readAddress, type Address } from './address.ts'

export interface GroupRoute {
  /** Null: that of the gateway. */
  address: Address | null
  /** In front of the paths of the group; empty or with a leading slash. */
  path: string
}

export interface Routes {
  /** By group; `jwt`, and `tls.expired` and others, are routes of single checks. */
  paths: Readonly<Record<string, GroupRoute>>
  /** Of the requests to models. */
  model: string | null
  /** The gateway has a credential of its own for the model's provider. */
  ownLlmCredential: boolean
  /** The gateway asks clients for certificates. */
  asksForCertificates: boolean
  /** A token of the gateway's own issuer for MCP. */
  mcpToken: string | null
}

export const NO_ROUTES: Routes = {
  paths: {},
  model: null,
  ownLlmCredential: false,
  asksForCertificates: false,
  mcpToken: null,
}

const KEYS = ['llm', 'websocket', 'grpc', 'mcp', 'a2a', 'oauth', 'jwt', 'tls', 'mtls']
/** Those that are one path or URL. */
const PLAIN = ['websocket', 'grpc', 'a2a', 'oauth', 'jwt'] as const
const LLM_KEYS = ['openai', 'model', 'credential']
const MCP_KEYS = ['path', 'token']
/** Kinds of certificates of the upstream. */
const TLS_KEYS = ['good', 'expired', 'wrong-host', 'unknown-ca']

/** Returns a sentence for invalid routes. `newGroups` are those of checks of other plugins. */
export function readRoutes(value: unknown, newGroups: readonly string[] = []): Routes | string {
  if (!isRecord(value)) return 'routes: expected a mapping of groups to paths or URLs'
  const paths: Record<string, GroupRoute> = {}
  const read: Routes = { ...NO_ROUTES, paths }
  const add = (name: string, text: unknown, group = name): string | null => {
    const route = readRoute(name, text)
    if (typeof route === 'string') return route
    paths[group] = route
    return null
  }
  const problem =
    unknownKey('', value, [...KEYS, ...newGroups]) ??
    [...PLAIN, ...newGroups]
      .map(name => (value[name] === undefined ? null : add(name, value[name])))
      .find(text => text !== null) ??
    readLlm(value.llm, read, add) ??
    readMcp(value.mcp, read, add) ??
    readTls(value.tls, add) ??
    (value.mtls === undefined || typeof value.mtls === 'boolean' ? null : 'routes: mtls must be true or false')
  if (problem !== null) return problem
  return { ...read, asksForCertificates: value.mtls === true }
}

type Add = (name: string, text: unknown, group?: string) => string | null

function readLlm(llm: unknown, read: Routes, add: Add): string | null {
  if (llm === undefined) return null
  if (!isRecord(llm)) return 'routes: llm must be a mapping, such as {openai: /v1}'
  const { openai, model, credential } = llm
  const problem = unknownKey('llm.', llm, LLM_KEYS) ?? (openai === undefined ? null : add('llm.openai', openai, 'llm'))
  if (problem !== null) return problem
  if (model !== undefined) {
    if (typeof model !== 'string' || model === '' || model.length > 200)
      return 'routes: llm.model must be the name of a model'
    read.model = model
  }
  if (credential !== undefined && credential !== 'gateway' && credential !== 'client')
    return 'routes: llm.credential must be "gateway" or "client"'
  read.ownLlmCredential = credential === 'gateway'
  return null
}

/** A path or URL, or a mapping with a token. */
function readMcp(mcp: unknown, read: Routes, add: Add): string | null {
  if (mcp === undefined) return null
  if (!isRecord(mcp)) return add('mcp', mcp)
  const { path, token } = mcp
  const problem = unknownKey('mcp.', mcp, MCP_KEYS) ?? (path === undefined ? null : add('mcp.path', path, 'mcp'))
  if (problem !== null) return problem
  if (token === undefined) return null
  if (typeof token !== 'string' || !/^[\w.~+/=-]{1,8192}$/.test(token)) return 'routes: mcp.token must be a token'
  read.mcpToken = token
  return null
}

function readTls(tls: unknown, add: Add): string | null {
  if (tls === undefined) return null
  if (!isRecord(tls)) return 'routes: tls must be a mapping, such as {expired: /tls-expired}'
  const problem = unknownKey('tls.', tls, TLS_KEYS)
  return (
    problem ??
    Object.entries(tls)
      .map(([kind, text]) => add(`tls.${kind}`, text))
      .find(text => text !== null) ??
    null
  )
}

function unknownKey(prefix: string, value: Record<string, unknown>, known: readonly string[]): string | null {
  const wrong = Object.keys(value).find(key => !known.includes(key))
  return wrong === undefined ? null : `routes: unknown key "${prefix}${wrong.slice(0, 50)}"${guess(wrong, known)}`
}

/** Names are resolved once a run. */
export async function resolvedRoutes(
  { paths, ...rest }: Routes,
  resolve: (address: Address) => Promise<Address>,
): Promise<Routes> {
  const resolved: Record<string, GroupRoute> = {}
  for (const [group, route] of Object.entries(paths))
    resolved[group] = route.address === null ? route : { ...route, address: await resolve(route.address) }
  return { ...rest, paths: resolved }
}

function readRoute(name: string, value: unknown): GroupRoute | string {
  if (typeof value !== 'string' || value.length > 2_000) return `routes: ${name} must be a path or a URL`
  if (value.startsWith('/')) {
    if (!/^\/[\w.~%/-]*$/.test(value)) return `routes: ${name} must be a path such as /v1`
    return { address: null, path: value === '/' ? '' : value.replace(/\/$/, '') }
  }
  const address = readAddress(value)
  return typeof address === 'string' ? `routes: ${name}: ${address}` : { address, path: '' }
}

function guess(word: string, known: readonly string[]): string {
  const found = nearest(word, known)
  return found === undefined ? `; expected ${known.join(', ')}` : ` (did you mean ${found}?)`
}
