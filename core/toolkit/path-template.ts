/**
 * Path templates in the notation of the catalog: `{name}` matches text within a segment, `{*name}` the rest of the path
 * including slashes. Imports nothing, since browsers run it too.
 */

/** Names contain no braces. */
const PARAMETER = /\{(\*?)([^{}]+)\}/g

export interface TemplateParameter {
  name: string
  /** Matches the rest of the path, including slashes. */
  isWildcard: boolean
}

/** Returns the parameters of a template in order. */
export function templateParameters(template: string): TemplateParameter[] {
  return [...template.matchAll(PARAMETER)].map(([, star, name]) => ({ name: name as string, isWildcard: star === '*' }))
}

/** Replaces each parameter of a template with the result of `write`. `index` counts from 0. */
export function replaceParameters(
  template: string,
  write: (parameter: TemplateParameter, index: number) => string,
): string {
  let index = 0
  return template.replace(PARAMETER, (_, star: string, name: string) =>
    write({ name, isWildcard: star === '*' }, index++),
  )
}

/** Renames the parameters of a template in order. Wildcards become ordinary parameters. */
export function renameParameters(template: string, names: readonly string[]): string {
  return replaceParameters(template, (_, index) => `{${names[index]}}`)
}

/** A template without its parameter names. Apart from wildcards, templates with the same shape match the same paths. */
export function templateShape(template: string): string {
  return replaceParameters(template, () => '{}')
}

/** What parameters match, as regular expression sources. */
export interface TemplateForms {
  /** Default: any text without a slash, including none. */
  parameter?: string
  /** Default: any text. */
  wildcard?: string
}

/** Returns the source of a regular expression, without anchors, that captures the parameters of a template in order. */
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

/** Returns the decoded parameter values of a path (without query) in order, or null if the path does not match. */
export function readParameters(template: string, path: string): string[] | null {
  const found = new RegExp(`^${templatePattern(template)}$`).exec(path)
  return found && found.slice(1).map(decodeValue)
}

/** Replaces the parameters of a template with encoded values, in order. Does not encode `:`, `@`, and slashes in wildcards. */
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
