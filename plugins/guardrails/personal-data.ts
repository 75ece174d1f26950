/** Finds and replaces personal data in a text. */
import { codePointLength, unitIndex } from './code-points.ts'
import type { Detector, DetectorRegistry } from './types.ts'

/** A found entity; offsets in code points. */
export interface Entity {
  type: string
  text: string
  start: number
  end: number
}

/** The known types, in order of precedence for overlapping matches. */
export function piiTypes(registry: DetectorRegistry): string[] {
  return [...new Set(piiDetectors(registry).map(detector => detector.type))]
}

function piiDetectors(registry: DetectorRegistry): Extract<Detector, { kind: 'pii' }>[] {
  return registry.list().filter(detector => detector.kind === 'pii')
}

/** Entities of the given types (default: all), in order; one that overlaps an entity of an earlier type is dropped. */
export function findPersonalData(registry: DetectorRegistry, text: string, types?: readonly string[]): Entity[] {
  const taken = new Uint8Array(codePointLength(text))
  const found: Omit<Entity, 'text'>[] = []
  for (const detector of piiDetectors(registry)) {
    if (types !== undefined && !types.includes(detector.type)) continue
    for (const { start, end } of detector.find(text)) {
      if (taken.subarray(start, end).includes(1)) continue
      taken.fill(1, start, end)
      found.push({ type: detector.type, start, end })
    }
  }
  found.sort((a, b) => a.start - b.start || a.end - b.end)
  const toUnit = unitIndex(text)
  return found.map(({ type, start, end }) => ({ type, text: text.slice(toUnit(start), toUnit(end)), start, end }))
}

/** The text with each entity replaced. Entities are in order and do not overlap. */
export function replaceEntities(
  text: string,
  entities: readonly Entity[],
  replacement: (entity: Entity) => string,
): string {
  const toUnit = unitIndex(text)
  let result = ''
  let from = 0
  for (const entity of entities) {
    result += text.slice(from, toUnit(entity.start)) + replacement(entity)
    from = toUnit(entity.end)
  }
  return result + text.slice(from)
}

export function label(entity: Entity): string {
  return `[${entity.type}]`
}

/** As long as the entity, so that the length of the text does not change. */
export function mask(entity: Entity): string {
  return '*'.repeat(entity.end - entity.start)
}
