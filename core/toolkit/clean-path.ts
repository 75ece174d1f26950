/** Paths as Go's `http.ServeMux` cleans them. */

/** The path without empty and dot segments; null if it has none. */
export function cleanPath(path: string): string | null {
  if (!/\/\/|\/\.{1,2}(?:\/|$)/.test(path)) return null
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const clean = `/${kept.join('/')}`
  return /\/(?:\.{1,2})?$/.test(path) && clean !== '/' ? `${clean}/` : clean
}
