/** Registers the built-in detectors, through the same interface as those of other plugins. */
import { codePointIndex } from './code-points.ts'
import { findInjections } from './injection.ts'
import { PII_FINDERS } from './pii/types.ts'
import { BLOCKLIST, BLOCKLIST_NAME, HARM_TERMS, termFinder } from './terms.ts'
import type { DetectorRegistry } from './types.ts'
import { splitWords } from './words.ts'

export function registerBuiltIn(registry: DetectorRegistry): void {
  const split = rememberLast(splitWords)
  for (const [category, terms] of Object.entries(HARM_TERMS)) {
    registry.register({ id: `harm-${category.toLowerCase()}`, kind: 'harm', category, find: termFinder(terms, split) })
  }
  registry.register({ id: 'prompt-injection', kind: 'injection', find: text => findInjections(split(text)) })
  registry.register({ id: BLOCKLIST_NAME, kind: 'blocklist', find: termFinder(BLOCKLIST, split) })
  for (const { type, find } of PII_FINDERS) {
    registry.register({
      id: `pii-${type.toLowerCase()}`,
      kind: 'pii',
      type,
      find(text) {
        const toPoint = codePointIndex(text)
        return find(text).map(({ start, end }) => ({ start: toPoint(start), end: toPoint(end) }))
      },
    })
  }
}

/** Caches the last result: all word detectors process the same text in turn, and it is split only once. */
function rememberLast<T>(make: (text: string) => T): (text: string) => T {
  let last: { text: string; made: T } | null = null
  return text => {
    if (last === null || last.text !== text) last = { text, made: make(text) }
    return last.made
  }
}
