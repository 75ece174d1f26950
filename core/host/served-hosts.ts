/** Hosts that plugins serve whole: how they are added, and what is wrong with them. */
import type { ServedHostOptions } from '../contract/hosts.ts'
import type { HostEntry } from '../http/routes/host-mounts.ts'
import type { Log } from '../log/log.ts'
import type { BuildContext } from './svc/svc.ts'
import type { Generation } from './generation.ts'

const DEFAULT_RANK = 100

/** The entry of a plugin. Throws if a pattern has more than one `*`, or a path is not one. */
export function hostEntry(
  plugin: string,
  pattern: string,
  mount: string,
  { shared = false, tls = true, paths = {}, root = '', rank = DEFAULT_RANK, at }: ServedHostOptions,
): HostEntry {
  if (pattern === '' || pattern.split('*').length > 2)
    throw new Error(`"${pattern}" is not a host (expected a name, which may have one *)`)
  for (const path of [mount, ...Object.entries(paths).flat(), ...(root === '' ? [] : [root])])
    if (!path.startsWith('/'))
      throw new Error(`"${path}" is not a path of a served host (expected one that starts with /)`)
  return {
    plugin,
    pattern: pattern.toLowerCase(),
    mount: mount.replace(/\/$/, ''),
    shared,
    tls,
    paths,
    root,
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
