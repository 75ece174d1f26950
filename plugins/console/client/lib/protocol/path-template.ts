/** Templates of the catalogue (`/status/{code}`, `/echo/{*path}`): the values in a path, and a path of values. */

const PARAMETER = /\{(\*?)([^{}]+)\}/g

/** Names of the parameters, in order. */
export function parameterNames(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, , name]) => name!)
}

/** The decoded values in a path without query, by position; null when it does not fit. */
export function parameterValues(template: string, path: string): string[] | null {
  const pattern = template.split(PARAMETER)
  // `split` gives literal, star, name, literal, …
  const source = pattern.map((part, at) => (at % 3 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : at % 3 === 1 ? (part === '*' ? '(.*)' : '([^/]*)') : '')).join('')
  return new RegExp(`^${source}$`).exec(path)?.slice(1).map(decode) ?? null
}

/** The path with these values, by position. */
export function fillTemplate(template: string, values: readonly string[]): string {
  let at = 0
  return template.replace(PARAMETER, (_, star: string) => {
    const value = encodeURIComponent(values[at++] ?? '').replace(/%3A/g, ':').replace(/%40/g, '@')
    return star === '*' ? value.replace(/%2F/g, '/') : value
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
