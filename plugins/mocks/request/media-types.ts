/** Parses and compares media types (RFC 9110, 8.3.1). */
import { splitField, unquote } from 'svc/toolkit'

/** The lower-case type without parameters; empty if absent. */
export function baseType(header: string | undefined): string {
  const end = header?.indexOf(';') ?? -1
  return (end < 0 ? (header ?? '') : (header ?? '').slice(0, end)).trim().toLowerCase()
}

/** Whether the type is `application/json` or ends with `+json`. */
export function isJsonType(type: string): boolean {
  const base = baseType(type)
  return base === 'application/json' || base === 'text/json' || base.endsWith('+json')
}

export function isXmlType(type: string): boolean {
  const base = baseType(type)
  return base === 'application/xml' || base === 'text/xml' || base.endsWith('+xml')
}

const MAX_PARAMETERS = 16
/** They tell how a body is encoded, and not which of several representations it is. */
const ENCODING_PARAMETERS = new Set(['charset', 'boundary', 'q'])

/** The parameters that distinguish representations, such as `profile` and `v`; names and values in lower case. */
export function parametersOf(type: string): Map<string, string> {
  const parameters = new Map<string, string>()
  if (!type.includes(';')) return parameters
  for (const text of splitField(type, ';', MAX_PARAMETERS).slice(1)) {
    const at = text.indexOf('=')
    const name = text.slice(0, Math.max(at, 0)).trim().toLowerCase()
    if (name !== '' && !ENCODING_PARAMETERS.has(name))
      parameters.set(name, unquote(text.slice(at + 1).trim()).toLowerCase())
  }
  return parameters
}

/** How the parameters of a wanted type fit those of a declared one: the number that agree, or -1 if one differs. */
export function agreement(wanted: ReadonlyMap<string, string>, declared: ReadonlyMap<string, string>): number {
  let agreed = 0
  for (const [name, value] of wanted) {
    const other = declared.get(name)
    if (other === value) agreed++
    else if (other !== undefined) return -1
  }
  return agreed
}

/**
 * The entry of `content` for a request's type: an exact match, else the range, else any. Of several versions of one type,
 * the one whose parameters agree with most of the request's; none if a parameter has another value in each.
 */
export function coveringType<T extends { type: string }>(content: readonly T[], type: string): T | undefined {
  const wanted = baseType(type)
  const family = `${wanted.split('/')[0]}/*`
  const plain = isJsonType(wanted) && wanted.endsWith('+json') ? 'application/json' : undefined
  for (const base of [wanted, family, '*/*', plain]) {
    const declared = content.filter(entry => baseType(entry.type) === base)
    if (declared.length > 0) return closest(declared, parametersOf(type))
  }
  return undefined
}

function closest<T extends { type: string }>(
  declared: readonly T[],
  wanted: ReadonlyMap<string, string>,
): T | undefined {
  let best: { entry: T; agreed: number; missing: number } | undefined
  for (const entry of declared) {
    const parameters = parametersOf(entry.type)
    const agreed = agreement(wanted, parameters)
    const missing = parameters.size - agreed
    if (agreed < 0) continue
    if (best === undefined || agreed > best.agreed || (agreed === best.agreed && missing < best.missing))
      best = { entry, agreed, missing }
  }
  return best?.entry
}
