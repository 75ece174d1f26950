/** The step `forward` of rules: the proxy answers in place of the route. */
import type { FastifyRequest, Json, Svc } from 'svc/plugin'
import {
  asObject,
  asText,
  below,
  checkReferences,
  expandLines,
  InputProblem,
  nearest,
  readHeaderLines,
  readHeaderNames,
  rejectUnknownKeys,
  RULE_REFERENCES,
} from 'svc/toolkit'
import type { UpstreamOptions } from './config/options.ts'
import type { HeaderLine } from './forwarded-headers.ts'
import type { Proxy } from './proxy.ts'

interface ForwardStep {
  upstream: string
  /** Removed from the beginning of the path; empty: nothing is. */
  stripPrefix: string
  set: readonly HeaderLine[]
  /** In lower case. */
  remove: readonly string[]
}

const KEYS = ['upstream', 'strip_prefix', 'set_headers', 'remove_headers']
const MAX_PREFIX = 1000

/** `proxy`: null if there is no upstream. */
export function registerForwardStep(svc: Svc<UpstreamOptions[]>, proxy: () => Proxy | null): void {
  svc.use('testing.steps').register({
    name: 'forward',
    description: 'Sends the request to an upstream of `proxy`: its name, or an object with `upstream`',
    answers: true,
    read: (value, at) => readForward(value, at, svc, proxy()?.names ?? []),
    act(request, reply, { value, lookUp }) {
      const { upstream, stripPrefix, set, remove } = value as ForwardStep
      return proxy()!.serve(request, reply, upstream, {
        ...strippedTarget(svc, request, stripPrefix),
        setHeaders: expandLines(set, lookUp, svc.budgets.output(request)),
        removeHeaders: new Set(remove),
      })
    },
  })
}

function readForward(value: Json, at: string, svc: Svc<unknown>, names: readonly string[]): ForwardStep {
  if (svc.config.publicMode) throw new InputProblem(at, 'upstreams are not available in public mode')
  const isName = typeof value === 'string'
  const given = isName
    ? { upstream: value }
    : asObject(value, at, `expected the name of an upstream, or an object with ${KEYS.join(', ')}`)
  rejectUnknownKeys(given, KEYS, at)
  const upstream = asText(given.upstream, isName ? at : below(at, 'upstream'), 200, 1)
  if (!names.includes(upstream)) {
    const guess = nearest(upstream, names)
    throw new InputProblem(
      isName ? at : below(at, 'upstream'),
      `there is no upstream "${upstream}" in proxy of svc.yaml${guess === undefined ? '' : ` (did you mean ${guess}?)`}`,
    )
  }
  const prefix =
    given.strip_prefix === undefined ? '' : asText(given.strip_prefix, below(at, 'strip_prefix'), MAX_PREFIX, 1)
  if (prefix !== '' && !prefix.startsWith('/'))
    throw new InputProblem(below(at, 'strip_prefix'), 'expected a path that begins with /')
  if (given.set_headers !== undefined)
    checkReferences(given.set_headers, RULE_REFERENCES, below(at, 'set_headers'), 'remove it')
  return {
    upstream,
    stripPrefix: prefix.replace(/\/$/, ''),
    set: readHeaderLines(given.set_headers, below(at, 'set_headers')),
    remove: readHeaderNames(given.remove_headers, below(at, 'remove_headers')),
  }
}

/** The target of the request without the prefix, if it has it, and the path at which the upstream then is. */
function strippedTarget(svc: Svc<unknown>, request: FastifyRequest, prefix: string): { target: string; mount: string } {
  const target = svc.http.target(request)
  const rest = prefix !== '' && target.startsWith(prefix) ? target.slice(prefix.length) : null
  if (rest === null || (rest !== '' && !/^[/?]/.test(rest))) return { target, mount: '' }
  return { target: rest.startsWith('/') ? rest : `/${rest}`, mount: prefix }
}
