/** The vendor-neutral result: the findings of all detectors in a text. */
import { unitIndex } from './code-points.ts'
import { findPersonalData, label, replaceEntities, type Entity } from './personal-data.ts'
import { BLOCKLIST_NAME } from './terms.ts'
import type { Detector, DetectorRegistry, Match } from './types.ts'

/** Maximum number of matches in a list; decisions use all of them. */
const MAX_SHOWN = 1000

interface Shown {
  text: string
  start: number
  end: number
  [field: string]: unknown
}

export interface CheckResult {
  flagged: boolean
  action: 'block' | 'redact' | 'allow'
  categories: Record<string, { flagged: boolean; severity: number; matches: Shown[] }>
  prompt_injection: { detected: boolean; matches: Shown[] }
  blocklist: { name: string; matches: Shown[] }
  pii_detected: boolean
  pii: Entity[]
  redacted_text: string
  truncated?: true
}

export function checkText(registry: DetectorRegistry, text: string): CheckResult {
  const lists = new Lists(text)
  const categories: CheckResult['categories'] = Object.create(null)
  for (const [category, matches] of harmMatches(registry, text)) {
    const severity = highestSeverity(matches)
    categories[snakeCase(category)] = {
      flagged: matches.length > 0,
      severity,
      matches: lists.show(matches, match => ({ type: category, severity: match.severity ?? 0 })),
    }
  }
  const injections = matchesOf(registry, 'injection', text)
  const blocked = matchesOf(registry, 'blocklist', text)
  const pii = findPersonalData(registry, text)
  const flagged =
    injections.length > 0 || blocked.length > 0 || Object.values(categories).some(category => category.flagged)
  const result: CheckResult = {
    flagged,
    action: flagged ? 'block' : pii.length > 0 ? 'redact' : 'allow',
    categories,
    prompt_injection: {
      detected: injections.length > 0,
      matches: lists.show(injections, match => ({ rule: match.rule })),
    },
    blocklist: { name: BLOCKLIST_NAME, matches: lists.show(blocked, match => ({ id: match.rule })) },
    pii_detected: pii.length > 0,
    pii: lists.cut(pii),
    redacted_text: replaceEntities(text, pii, label),
  }
  return lists.isTruncated ? { ...result, truncated: true } : result
}

/** The harm categories that a text has, and `prompt_injection` and `blocklist`. It is not flagged for personal data. */
export function flagsOf(registry: DetectorRegistry, text: string): string[] {
  const harm = [...harmMatches(registry, text)].filter(([, matches]) => matches.length > 0)
  return [
    ...harm.map(([category]) => snakeCase(category)),
    ...(matchesOf(registry, 'injection', text).length > 0 ? ['prompt_injection'] : []),
    ...(matchesOf(registry, 'blocklist', text).length > 0 ? ['blocklist'] : []),
  ]
}

/** Matches by category, in order; includes categories without matches. */
export function harmMatches(registry: DetectorRegistry, text: string): Map<string, Match[]> {
  const byCategory = new Map<string, Match[]>()
  for (const detector of registry.list()) {
    if (detector.kind !== 'harm') continue
    byCategory.set(detector.category, inOrder([...(byCategory.get(detector.category) ?? []), ...detector.find(text)]))
  }
  return byCategory
}

export function highestSeverity(matches: readonly Match[]): number {
  return matches.reduce((highest, match) => Math.max(highest, match.severity ?? 0), 0)
}

/** Matches of all detectors of one kind, in order. */
export function matchesOf(
  registry: DetectorRegistry,
  kind: Extract<Detector['kind'], 'injection' | 'blocklist'>,
  text: string,
): Match[] {
  return inOrder(registry.list().flatMap(detector => (detector.kind === kind ? detector.find(text) : [])))
}

function inOrder(matches: Match[]): Match[] {
  return matches.sort((a, b) => a.start - b.start || a.end - b.end)
}

/** The lists of one response; long lists are truncated. */
export class Lists {
  isTruncated = false
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  cut<T>(list: T[]): T[] {
    if (list.length > MAX_SHOWN) this.isTruncated = true
    return list.slice(0, MAX_SHOWN)
  }

  /** Adds the matched text and its offsets after `fields`. */
  show(matches: Match[], fields: (match: Match) => Record<string, unknown>): Shown[] {
    const toUnit = unitIndex(this.#text)
    return this.cut(matches).map(match => ({
      ...fields(match),
      text: this.#text.slice(toUnit(match.start), toUnit(match.end)),
      start: match.start,
      end: match.end,
    }))
  }
}

/** `SelfHarm` as `self_harm`. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()
}
