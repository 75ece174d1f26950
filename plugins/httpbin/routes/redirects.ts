/** Chains of redirects, and `/redirect-to`. */
import type { Call } from '../call.ts'
import { Failure, missing } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goInteger, pathNumber } from '../request/numbers.ts'
import { METHODS_OF_ANYTHING } from './reflection.ts'
import { goStatus } from './status.ts'

const MAX_REDIRECTS = 200
type Kind = 'relative' | 'absolute'

function redirect(call: Call, kind: Kind, hasPage: boolean): unknown {
  const left = readCount(call) - 1
  const path = left === 0 ? '/get' : `/${kind}-redirect/${left}`
  return call.redirect(kind === 'absolute' ? call.absolute(path) : call.path(path), { hasPage })
}

/** At least 1. */
function readCount(call: Call): number {
  const text = call.parameter('n')
  const count = call.isGo ? goInteger(text, 'invalid redirect count') : pathNumber(text)
  if (count < 1)
    throw new Failure(400, call.isGo ? 'redirect count must be > 0' : 'the number of redirects must be positive')
  if (count > MAX_REDIRECTS) throw new Failure(400, `at most ${MAX_REDIRECTS} redirects`)
  return count
}

function redirectTo(call: Call): unknown {
  const url = call.queryValue('url') ?? ''
  if (url === '') throw missing('url', call.original)
  if (/[\r\n\0]/.test(url) || /^\s*(?:javascript|data|vbscript):/i.test(url))
    throw new Failure(
      400,
      call.isGo ? 'invalid url: not a target of redirects' : 'the url is not a target of redirects',
    )
  const isAbsolute = /^[a-z][a-z\d+.-]*:/i.test(url)
  if (call.isGo && !isAbsolute && !url.startsWith('/')) return forbid(call, 'the url must be absolute or start with /')
  if (call.svc.config.publicMode && !isAllowedInPublic(call, url))
    return forbid(call, 'this instance only redirects to its own host and to the hosts in redirect_hosts')
  const target = url.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
  const isPath = target.startsWith('/') && !target.startsWith('//')
  // Both add the prefix of a gateway to a path; go-httpbin also adds its own.
  const location = !isPath ? target : call.isGo ? call.path(target) : call.svc.http.path(call.request, target)
  return call.redirect(location, { status: redirectStatus(call) })
}

function forbid(call: Call, reason: string): unknown {
  return call.send('text/plain', `Forbidden redirect: ${reason}.`, 403)
}

function redirectStatus(call: Call): number {
  const text = call.queryValue('status_code')
  if (text === undefined || (call.isGo && text === '')) return 302
  if (call.isGo) return goStatus(text, 300, 399)
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new Failure(400, 'Invalid status code')
  const status = Number(text)
  return status >= 300 && status < 400 ? status : 302
}

/** A path, an http(s) URL of the requested host, or one of `redirect_hosts`. Browsers read `\` as `/`. */
function isAllowedInPublic(call: Call, url: string): boolean {
  if (url.includes('\\') || /[\s\p{Cc}]/u.test(url)) return false
  if (url.startsWith('/')) return !url.startsWith('//')
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? []
  if (authority === undefined || authority.includes('@')) return false
  if (authority.toLowerCase() === new URL(call.absolute('/')).host) return true
  const host = authority.toLowerCase().replace(/:\d*$/, '')
  return call.svc.options.redirect_hosts.some(pattern => matchesHost(pattern, host))
}

const chain = (path: string, summary: string, handle: Operation['handle'], atRoot = false): Operation => ({
  path: `${path}/{n}`,
  summary,
  ...(atRoot ? { atRoot } : {}),
  examples: [{ name: 'Two', path: `${path}/2`, status: 302 }],
  handle,
})

export const REDIRECTS: readonly Operation[] = [
  chain('/redirect', 'Redirect several times', call =>
    redirect(call, call.queryValue('absolute')?.toLowerCase() === 'true' ? 'absolute' : 'relative', true),
  ),
  chain('/relative-redirect', 'Redirect to relative URLs', call => redirect(call, 'relative', false), true),
  chain('/absolute-redirect', 'Redirect to absolute URLs', call => redirect(call, 'absolute', true)),
  {
    path: '/redirect-to',
    summary: 'Redirect to a URL',
    methods: { httpbin: METHODS_OF_ANYTHING },
    parameters: [
      { name: 'url', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'status_code', in: 'query', schema: { type: 'integer', minimum: 300, maximum: 399, default: 302 } },
    ],
    examples: [{ name: 'To a path', path: '/redirect-to?url=/get', status: 302 }],
    handle: redirectTo,
  },
]

/** Whether a host in lower case matches a pattern: a host, `*.` and a domain, or `*`. */
function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase()
  return wanted === '*' || wanted === host || (wanted.startsWith('*.') && host.endsWith(wanted.slice(1)))
}
