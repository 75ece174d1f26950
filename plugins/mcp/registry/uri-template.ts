/** Owns URI templates (RFC 6570, level 1): matches a URI and extracts its variables. */

export interface UriTemplate {
  /** Names of the variables, in order. */
  readonly variables: readonly string[]
  /** Percent-decoded values by name, or null if the URI does not match. */
  match(uri: string): Record<string, string> | null
}

/** Longer values do not match. */
const MAX_VALUE = 100

/** Parses a template such as `svc://customers/{id}`. Throws on malformed variables and repeated names. */
export function parseTemplate(template: string): UriTemplate {
  const parts = template.split(/[{}]/)
  const variables = parts.filter((_, index) => index % 2 === 1)
  const literals = parts.filter((_, index) => index % 2 === 0)
  const isWellFormed =
    parts.length % 2 === 1 &&
    variables.length > 0 &&
    variables.every(name => /^\w+$/.test(name)) &&
    new Set(variables).size === variables.length
  if (!isWellFormed || literals.slice(1, -1).includes(''))
    throw new Error(
      `invalid URI template "${template}" (expected text with unique {name} variables that are separated by text)`,
    )
  return { variables, match: uri => matchParts(uri, literals, variables) }
}

/** Each variable ends at the next literal and contains no `/`, so matching needs no backtracking. */
function matchParts(uri: string, literals: string[], variables: string[]): Record<string, string> | null {
  const values: Record<string, string> = Object.create(null)
  if (!uri.startsWith(literals[0] ?? '')) return null
  let position = (literals[0] ?? '').length
  for (const [index, name] of variables.entries()) {
    const literal = literals[index + 1] ?? ''
    const end = literal === '' ? uri.length : uri.indexOf(literal, position)
    const value = end < 0 ? null : decode(uri.slice(position, end))
    if (value === null) return null
    values[name] = value
    position = end + literal.length
  }
  return position === uri.length ? values : null
}

function decode(raw: string): string | null {
  try {
    const value = decodeURIComponent(raw)
    return value.length >= 1 && value.length <= MAX_VALUE && !value.includes('/') ? value : null
  } catch {
    return null
  }
}
