/** Hosts that plugins serve whole: how they are added, and what is wrong with them. */
import type { ServedHostOptions } from '../contract/hosts.ts'
import { isBelow, isServedBelow } from '../fields/request-target.ts'
import { parsePathPrefix } from '../fields/path-prefix.ts'
import type { HostEntry, PrefixEntry } from '../http/routes/host-mounts.ts'
import type { Log } from '../log/log.ts'
import type { BuildContext } from './svc/svc.ts'
import type { Generation } from './generation.ts'

const DEFAULT_RANK = 100
/** Paths of the core, with what they are. */
const CORE_PATHS = { '/_svc': 'the control plane', '/s': 'the prefix of sessions', '/.well-known': 'well-known URIs' }

/** The entry of a plugin. Throws if a pattern has more than one `*`, or a path is not one. */
export function hostEntry(
  plugin: string,
  pattern: string,
  mount: string,
  { shared = false, tls = true, paths = {}, rank = DEFAULT_RANK, at }: ServedHostOptions,
): HostEntry {
  if (pattern === '' || pattern.split('*').length > 2)
    throw new Error(`"${pattern}" is not a host (expected a name, which may have one *)`)
  for (const path of [mount, ...Object.entries(paths).flat()])
    if (!path.startsWith('/'))
      throw new Error(`"${path}" is not a path of a served host (expected one that starts with /)`)
  return {
    plugin,
    pattern: pattern.toLowerCase(),
    mount: mount.replace(/\/$/, ''),
    shared,
    tls,
    paths,
    rank,
    at: at ?? null,
  }
}

/**
 * Reports hosts that never get a request, since an earlier entry has them. Repeated by one plugin, such a host is an error; of
 * another one, a warning: both plugins may be right on their own.
 */
export function reportHosts(generation: Generation, context: BuildContext, log: Log): void {
  for (const { entry, by, isRepeated } of generation.hosts.shadowed()) {
    const { plugin, pattern, at } = entry
    const message = isRepeated
      ? `the host ${pattern} is named twice`
      : `the host ${pattern} is served by ${by.plugin} (${by.at ?? by.pattern})`
    const located = context.locate(plugin, { at: at ?? '', message })
    if (isRepeated) context.loadErrors.push(located)
    else {
      context.advice.push(located)
      log.warn(message, { plugin, at: located.at, line: located.line })
    }
  }
}

/** The prefix without a trailing slash. Throws if the text is not an absolute path of at least one segment. */
export function checkedPrefix(path: string): string {
  const prefix = parsePathPrefix(path)
  if (prefix === null || prefix === '' || /\/\/|%|\/\.(?:\/|$)/.test(prefix))
    throw new Error(`"${path}" is not a path prefix (expected one such as /apps/blue)`)
  return prefix
}

/** Reports and removes prefixes that have another meaning. `paths`: those that each enabled plugin serves. */
export function reportPrefixes(
  { hosts, routes }: Generation,
  context: BuildContext,
  paths: readonly (readonly [plugin: string, paths: readonly string[]])[],
): void {
  const kept: PrefixEntry[] = []
  for (const entry of hosts.prefixes) {
    const { plugin, path, at } = entry
    const core = Object.entries(CORE_PATHS).find(([own]) => isBelow(path, own) || isBelow(own, path))
    const owner = paths.find(([, own]) => own.some(one => isServedBelow(path, one) || isBelow(one, path)))
    const taken =
      core?.[1] ??
      (owner && `the plugin ${owner[0]}`) ??
      (kept.some(other => other.path === path) ? 'an earlier entry' : undefined) ??
      (routes.methodsOf(path).length > 0 ? 'a page of the instance' : undefined)
    if (taken === undefined) {
      kept.push(entry)
      continue
    }
    const message = `the prefix ${path} belongs to ${taken}`
    context.loadErrors.push(context.locate(plugin, { at: at ?? '', message, remedy: 'write another path' }))
  }
  hosts.keepPrefixes(kept)
}
