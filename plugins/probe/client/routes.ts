/** Where groups live at gateways that have addresses of their own: the file of `--routes`. */
import { isRecord, nearest } from 'svc/plugin'
import { readAddress } from './address.ts'
import type { Address } from './address.ts'

export interface GroupRoute {
  /** Null: that of the gateway. */
  address: Address | null
  /** In front of the paths of the group; empty or with a leading slash. */
  path: string
}

export interface Routes {
  paths: Readonly<Record<string, GroupRoute>>
  /** Of the requests to models. */
  model: string | null
  /** The gateway has a credential of its own for the model's provider. */
  ownLlmCredential: boolean
}

export const NO_ROUTES: Routes = { paths: {}, model: null, ownLlmCredential: false }

const KEYS = ['llm', 'websocket']
const LLM_KEYS = ['openai', 'model', 'credential']

/** Returns a sentence for invalid routes. */
export function readRoutes(value: unknown): Routes | string {
  if (!isRecord(value)) return 'routes: expected a mapping of groups to paths or URLs'
  const unknown = Object.keys(value).find(key => !KEYS.includes(key))
  if (unknown !== undefined) return `routes: unknown key "${unknown.slice(0, 50)}"${guess(unknown, KEYS)}`
  const paths: Record<string, GroupRoute> = {}
  let { model, ownLlmCredential } = NO_ROUTES
  if (value.websocket !== undefined) {
    const route = readRoute('websocket', value.websocket)
    if (typeof route === 'string') return route
    paths.websocket = route
  }
  if (value.llm !== undefined) {
    const { llm } = value
    if (!isRecord(llm)) return 'routes: llm must be a mapping, such as {openai: /v1}'
    const wrong = Object.keys(llm).find(key => !LLM_KEYS.includes(key))
    if (wrong !== undefined) return `routes: unknown key "llm.${wrong.slice(0, 50)}"${guess(wrong, LLM_KEYS)}`
    if (llm.openai !== undefined) {
      const route = readRoute('llm.openai', llm.openai)
      if (typeof route === 'string') return route
      paths.llm = route
    }
    if (llm.model !== undefined) {
      if (typeof llm.model !== 'string' || llm.model === '' || llm.model.length > 200)
        return 'routes: llm.model must be the name of a model'
      model = llm.model
    }
    if (llm.credential !== undefined && llm.credential !== 'gateway' && llm.credential !== 'client')
      return 'routes: llm.credential must be "gateway" or "client"'
    ownLlmCredential = llm.credential === 'gateway'
  }
  return { paths, model, ownLlmCredential }
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
