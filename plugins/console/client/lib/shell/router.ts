/** The view and its state are in the fragment: `#/traffic?filter=status:5xx&id=…`. A link reproduces a screen. */
import { signal, type ReadonlySignal } from '@preact/signals'

export interface Route {
  /** The view's key. */
  view: string
  /** The view's state. */
  params: URLSearchParams
}

const current = signal<Route>(parseHash(location.hash))
export const route: ReadonlySignal<Route> = current

function parseHash(hash: string): Route {
  const text = hash.replace(/^#\/?/, '')
  const query = text.indexOf('?')
  return query === -1
    ? { view: text, params: new URLSearchParams() }
    : { view: text.slice(0, query), params: new URLSearchParams(text.slice(query + 1)) }
}

/** The link to a view; absent and empty values are left out. */
export function hashOf(view: string, params: Record<string, string | null | undefined> = {}): string {
  const query = new URLSearchParams(
    Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
  // Colons and slashes are legal in a fragment, and links are read by people.
  const text = query.toString().replace(/%3A/g, ':').replace(/%2F/g, '/')
  return `#/${view}${text === '' ? '' : `?${text}`}`
}

/** Goes to a view. */
export function go(view: string, params?: Record<string, string | null | undefined>): void {
  location.hash = hashOf(view, params)
}

/** Changes the state of the view on screen; null removes a value. No entry in the history unless `push`. */
export function setParams(changes: Record<string, string | null>, { push = false } = {}): void {
  const { view, params } = current.value
  const hash = hashOf(view, { ...Object.fromEntries(params), ...changes })
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
 * Takes a token out of the fragment (`#token=<t>`, `#/traffic&token=<t>`) and out of the address bar, before anything
 * is sent. Null when there is none.
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
