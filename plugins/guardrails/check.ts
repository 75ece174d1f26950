/** The vendor-neutral result: the findings of all detectors in a text. */
import { unitIndex } from './code-points.ts'
import { findingsOf, flagsOf, highestSeverity, snakeCase } from './findings.ts'
import { label, replaceEntities, type Entity } from './personal-data.ts'
import { BLOCKLIST_NAME } from './terms.ts'
import type { DetectorRegistry, Match } from './types.ts'

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
  const findings = findingsOf(registry, text)
  const { harm, injections, blocked, entities } = findings
  const categories: CheckResult['categories'] = Object.create(null)
  for (const [category, matches] of harm) {
    categories[snakeCase(category)] = {
      flagged: matches.length > 0,
      severity: highestSeverity(matches),
      matches: lists.show(matches, match => ({ type: category, severity: match.severity ?? 0 })),
    }
  }
  const flagged = flagsOf(findings).length > 0
  const result: CheckResult = {
    flagged,
    action: flagged ? 'block' : entities.length > 0 ? 'redact' : 'allow',
    categories,
    prompt_injection: {
      detected: injections.length > 0,
      matches: lists.show(injections, match => ({ rule: match.rule })),
    },
    blocklist: { name: BLOCKLIST_NAME, matches: lists.show(blocked, match => ({ id: match.rule })) },
    pii_detected: entities.length > 0,
    pii: lists.cut(entities),
    redacted_text: replaceEntities(text, entities, label),
  }
  return lists.isTruncated ? { ...result, truncated: true } : result
}

/** The lists of one response; long lists are truncated. */
export class Lists {
  isTruncated = false
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  cut<T>(list: readonly T[]): T[] {
    if (list.length > MAX_SHOWN) this.isTruncated = true
    return list.slice(0, MAX_SHOWN)
  }

  /** Adds the matched text and its offsets after `fields`. */
  show(matches: readonly Match[], fields: (match: Match) => Record<string, unknown>): Shown[] {
    const toUnit = unitIndex(this.#text)
    return this.cut(matches).map(match => ({
      ...fields(match),
      text: this.#text.slice(toUnit(match.start), toUnit(match.end)),
      start: match.start,
      end: match.end,
    }))
  }
}
