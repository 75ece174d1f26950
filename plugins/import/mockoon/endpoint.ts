/** Endpoints of routes of Mockoon, as conditions on paths. */
import type { Json } from 'svc/plugin'
import { escapePattern, literalPath, wholePattern } from '../stub/patterns.ts'

const NAME = /^:([A-Za-z_]\w{0,63})$/

/** The value of `path`; or what is wrong. */
export function endpointPath(prefix: string, endpoint: string): { path: Json } | { problem: string } {
  const path = `/${prefix}/${endpoint}`.replaceAll(/\/{2,}/g, '/')
  const segments = path.slice(1).split('/')
  const isTemplate = segments.every(
    (segment, index) =>
      !/[:*?()+[\]{}\\]/.test(segment) || NAME.test(segment) || (segment === '*' && index === segments.length - 1),
  )
  if (!isTemplate) return patternOf(path)
  const written = segments.map(segment => {
    const name = NAME.exec(segment)?.[1]
    return name === undefined ? (segment === '*' ? '**' : literalPath(segment)) : `{${name}}`
  })
  return { path: `/${written.join('/')}` }
}

/** Names, wildcards and groups anywhere, as a pattern with named groups. */
function patternOf(path: string): { path: Json } | { problem: string } {
  const parts = path.split(/(\/?:[A-Za-z_]\w*(?:\([^()]*\))?\??|\*|\([^()]*\)\??)/)
  const source = parts
    .map((part, index) => {
      if (index % 2 === 0) return escapePattern(part)
      if (part === '*') return '.*'
      const [, slash, name, group, isOptional] = /^(\/?)(?::([A-Za-z_]\w*))?(\([^()]*\))?(\?)?$/.exec(part)!
      const inner =
        name === undefined
          ? `(?:${group!.slice(1, -1)})`
          : `(?P<${name}>${group === undefined ? '[^/]+' : group.slice(1, -1)})`
      return isOptional === undefined ? `${slash}${inner}` : `(?:${slash}${inner})?`
    })
    .join('')
  const pattern = wholePattern(source)
  return 'matches' in pattern ? { path: pattern } : pattern
}
