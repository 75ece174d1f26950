/**
 * Routing by URL fragment, such as `#/traffic?filter=status:5xx&id=…` or `#/demos/retry/present`, so that a link restores the state
 * of a view.
 */
import { signal, type ReadonlySignal } from '@preact/signals'

export interface Route {
  /** Key of the view. */
  view: string
  /** The page within the view: segments behind its key. */
  path: readonly string[]
  /** State of the view. */
  params: URLSearchParams
}

const current = signal<Route>(parseHash(location.hash))
export const route: ReadonlySignal<Route> = current

function parseHash(hash: string): Route {
  const text = hash.replace(/^#\/?/, '')
  const query = text.indexOf('?')
  const [view = '', ...path] = (query === -1 ? text : text.slice(0, query)).split('/')
  return { view, path, params: new URLSearchParams(query === -1 ? '' : text.slice(query + 1)) }
}

/** The link to a view, or a page within it (`demos/retry`), without absent and empty values. */
export function hashOf(view: string, params: Record<string, string | null | undefined> = {}): string {
  const query = new URLSearchParams(
    Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
  // Colons and slashes are valid in a fragment and keep links readable.
  const text = query.toString().replace(/%3A/g, ':').replace(/%2F/g, '/')
  return `#/${view}${text === '' ? '' : `?${text}`}`
}

/** Opens a view. */
export function go(view: string, params?: Record<string, string | null | undefined>): void {
  location.hash = hashOf(view, params)
}

/** Changes the state of the current view; null removes a value. Adds a history entry only with `push`. */
export function setParams(changes: Record<string, string | null>, { push = false } = {}): void {
  const { view, path, params } = current.value
  const hash = hashOf([view, ...path].join('/'), { ...Object.fromEntries(params), ...changes })
  if (hash === location.hash) return
  if (push) history.pushState(null, '', hash)
  else history.replaceState(null, '', hash)
  current.value = parseHash(hash)
}

export function startRouter(): void {
  const read = () => {
    current.value = parseHash(location.hash)
  }
  addEventListener('hashchange', read)
  addEventListener('popstate', read)
  read()
}

/**
 * Reads a token from the fragment (`#token=<t>`, `#/traffic&token=<t>`) and removes it from the address bar, before
 * anything is sent. Null: no token.
 */
export function takeToken(): string | null {
  const hash = location.hash.slice(1)
  const match = /(^|[?&])token=([^&]*)&?/.exec(hash)
  if (match === null) return null
  const tail = hash.slice(match.index + match[0].length)
  const rest = hash.slice(0, match.index) + (tail === '' ? '' : match[1] + tail)
  history.replaceState(null, '', rest === '' ? location.pathname + location.search : `#${rest}`)
  current.value = parseHash(location.hash)
  try {
    return decodeURIComponent(match[2]!)
  } catch {
    return match[2]!
  }
}
