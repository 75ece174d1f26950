/** What the detectors find in one text. */
import { findPersonalData, type Entity } from './personal-data.ts'
import type { Detector, DetectorRegistry, Match } from './types.ts'

/** What a text is flagged for. */
export interface Violations {
  /** Matches by harm category, in order; includes categories without matches. */
  harm: ReadonlyMap<string, readonly Match[]>
  injections: readonly Match[]
  blocked: readonly Match[]
}

export interface Findings extends Violations {
  text: string
  /** Personal data. */
  entities: readonly Entity[]
}

export function violationsOf(registry: DetectorRegistry, text: string): Violations {
  return {
    harm: harmMatches(registry, text),
    injections: matchesOf(registry, 'injection', text),
    blocked: matchesOf(registry, 'blocklist', text),
  }
}

export function findingsOf(registry: DetectorRegistry, text: string): Findings {
  return { text, ...violationsOf(registry, text), entities: findPersonalData(registry, text) }
}

/** The harm categories that a text has, and `prompt_injection` and `blocklist`. */
export function flagsOf({ harm, injections, blocked }: Violations): string[] {
  const found = [...harm].filter(([, matches]) => matches.length > 0)
  return [
    ...found.map(([category]) => snakeCase(category)),
    ...(injections.length > 0 ? ['prompt_injection'] : []),
    ...(blocked.length > 0 ? ['blocklist'] : []),
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

/** Matches of all detectors of one kind, in order. */
export function matchesOf(
  registry: DetectorRegistry,
  kind: Extract<Detector['kind'], 'injection' | 'blocklist'>,
  text: string,
): Match[] {
  return inOrder(registry.list().flatMap(detector => (detector.kind === kind ? detector.find(text) : [])))
}

/** 0 to 7; 0 without matches. */
export function highestSeverity(matches: readonly Match[]): number {
  return matches.reduce((highest, match) => Math.max(highest, match.severity ?? 0), 0)
}

function inOrder(matches: Match[]): Match[] {
  return matches.sort((a, b) => a.start - b.start || a.end - b.end)
}

/** `SelfHarm` as `self_harm`. */
export function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()
}
