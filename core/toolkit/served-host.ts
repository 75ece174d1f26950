/** Hosts of `svc.serveHost`, as they are in `svc.yaml`. */
import type { JsonSchema } from '../contract/json-schema.ts'

/** A host without port, with at most one `*` for any characters. */
export const HOST_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: '^(?=[^*]*\\*?[^*]*$)(?:\\*|[A-Za-z0-9_*](?:[A-Za-z0-9_.*-]{0,251}[A-Za-z0-9_*])?|[0-9A-Fa-f:]{2,45})$',
  examples: ['api.example.test'],
  description: 'A host without port, which may have one * for any characters, such as *.example; * alone is every host',
}

/** Whether a host in lower case is one of a pattern. `*` stands for one or more characters; `*` alone is every host. */
export function hostMatcher(pattern: string): (host: string) => boolean {
  if (pattern === '*') return () => true
  const star = pattern.indexOf('*')
  if (star === -1) return host => host === pattern
  const before = pattern.slice(0, star)
  const behind = pattern.slice(star + 1)
  const least = before.length + behind.length
  return host => host.length > least && host.startsWith(before) && host.endsWith(behind)
}
