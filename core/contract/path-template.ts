/**
 * Path templates in the catalog's notation: `{name}` is a part of a segment, `{*name}` the rest of the path, slashes
 * included. Imports nothing: browsers run it too.
 */

/** Names hold no braces. */
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

/** The template with each parameter, in its order from 0, replaced by what `write` answers. */
export function replaceParameters(
  template: string,
  write: (parameter: TemplateParameter, index: number) => string,
): string {
  let index = 0
  return template.replace(PARAMETER, (_, star: string, name: string) =>
    write({ name, isWildcard: star === '*' }, index++),
  )
}

/** The template with its parameters renamed in order; a wildcard loses its star. */
export function renameParameters(template: string, names: readonly string[]): string {
  return replaceParameters(template, (_, index) => `{${names[index]}}`)
}

/** Two templates of one shape match the same paths for whoever does not know wildcards. */
export function templateShape(template: string): string {
  return replaceParameters(template, () => '{}')
}

/** What parameters match, as sources of regular expressions. */
export interface TemplateForms {
  /** Default: any text within a segment, also an empty one. */
  parameter?: string
  /** Default: any text. */
  wildcard?: string
}

/** Source of a regular expression that captures a template's parameters in their order; it has no anchors. */
export function templatePattern(
  template: string,
  { parameter = '[^/]*', wildcard = '.*' }: TemplateForms = {},
): string {
  let pattern = ''
  let end = 0
  for (const match of template.matchAll(PARAMETER)) {
    pattern += `${escapePattern(template.slice(end, match.index))}(${match[1] === '*' ? wildcard : parameter})`
    end = match.index + match[0].length
  }
  return pattern + escapePattern(template.slice(end))
}

/** The decoded values of a template's parameters in `path` (no query), in order; null when it does not fit. */
export function readParameters(template: string, path: string): string[] | null {
  const found = new RegExp(`^${templatePattern(template)}$`).exec(path)
  return found && found.slice(1).map(decodeValue)
}

/** The path in which the parameters have these values, in order; `:` and `@`, and slashes in a wildcard, stay as they are. */
export function fillTemplate(template: string, values: readonly string[]): string {
  return replaceParameters(template, ({ isWildcard }, index) => {
    const value = encodeURIComponent(values[index] ?? '')
      .replaceAll('%3A', ':')
      .replaceAll('%40', '@')
    return isWildcard ? value.replaceAll('%2F', '/') : value
  })
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
