/** How path templates of provider routes become routes of Fastify. */
import { replaceParameters, templateParameters, templatePattern } from 'svc/plugin'

/** A template on the router: directly, or as one of several behind a wildcard. */
export interface RouterPath {
  /** In Fastify's notation. */
  path: string
  /** Behind a wildcard: reads the parameters in the decoded rest of the path; null when it is not this template's. */
  read: ((rest: string) => Record<string, string> | null) | null
}

/**
 * `/models/{model}` becomes `/models/:model`. What the router can't express, text beside a parameter
 * (`{model}:embedContent`) and slashes inside one (`{*modelId}/converse`), is matched behind a wildcard.
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
