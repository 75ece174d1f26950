/** Translates path templates of provider routes into Fastify routes. */
import { replaceParameters, templateParameters, templatePattern } from 'svc/toolkit'

/** A template as a Fastify route: directly, or as one of several that share a wildcard route. */
export interface RouterPath {
  /** In Fastify's notation. */
  path: string
  /** For a wildcard route: reads the parameters from the decoded rest of the path; null if it doesn't match. */
  read: ((rest: string) => Record<string, string> | null) | null
}

/**
 * `/models/{model}` becomes `/models/:model`. A template that Fastify can't express becomes a wildcard route: text next
 * to a parameter (`{model}:embedContent`), or slashes inside a parameter (`{*modelId}/converse`).
 */
export function routerPath(template: string): RouterPath {
  const segments = template.split('/')
  const first = segments.findIndex(
    segment => segment.includes('{*') || (segment.includes('{') && !/^\{[^{}]+\}$/.test(segment)),
  )
  if (first < 0) return { path: replaceParameters(template, ({ name }) => `:${name}`), read: null }
  const rest = segments.slice(first).join('/')
  const names = templateParameters(rest).map(({ name }) => name)
  const pattern = new RegExp(`^${templatePattern(rest, { parameter: '.+' })}$`, 's')
  return {
    path: `${replaceParameters(segments.slice(0, first).join('/'), ({ name }) => `:${name}`)}/*`,
    read(rest) {
      const match = pattern.exec(rest)
      return match && Object.fromEntries(names.map((name, i) => [name, match[i + 1] ?? '']))
    },
  }
}
