/** Owns what can be read from a path template: its parameters, its shape, the values in a path that fits it. */

/** `{name}` or `{*name}`; the names hold no braces. */
const PARAMETER = /\{(\*?)([^{}]+)\}/g

export interface TemplateParameter {
  name: string
  /** Takes the rest of the path, slashes included. */
  isWildcard: boolean
}

/** The parameters of a template in their order. */
export function templateParameters(template: string): TemplateParameter[] {
  return [...template.matchAll(PARAMETER)].map(([, star, name]) => ({ name: name as string, isWildcard: star === '*' }))
}

/** The template with its parameters renamed in order; a wildcard loses its star. */
export function renameParameters(template: string, names: string[]): string {
  let index = 0
  return template.replace(PARAMETER, () => `{${names[index++]}}`)
}

/** Two templates of one shape match the same paths for whoever does not know wildcards. */
export function templateShape(template: string): string {
  return template.replace(PARAMETER, '{}')
}

/** The decoded values of a template's parameters in `path` (no query), in order; null when it does not fit. */
export function readParameters(template: string, path: string): string[] | null {
  let pattern = ''
  let end = 0
  for (const match of template.matchAll(PARAMETER)) {
    pattern += escapePattern(template.slice(end, match.index)) + (match[1] === '*' ? '(.*)' : '([^/]*)')
    end = match.index + match[0].length
  }
  const found = new RegExp(`^${pattern}${escapePattern(template.slice(end))}$`).exec(path)
  return found && found.slice(1).map(decodeValue)
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
