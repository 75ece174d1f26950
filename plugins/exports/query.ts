/** Owns the query of the exports: where requests go, and which part of the catalog is wanted. */
import { HttpError, quoteInput, readQuery, type Catalog, type FastifyRequest, type Svc } from 'svc/plugin'
import { listFolders } from './entries.ts'
import type { Selection } from './format.ts'

const MAX_URL = 2048
/** Nothing in it means anything to a shell, a template or a quote. */
const BASE_URL = /^https?:\/\/(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/[A-Za-z0-9._~%/-]*)?$/i
const EXPECTED = `an absolute http or https URL of at most ${MAX_URL} characters; a path prefix (A-Za-z0-9._~%/-) is allowed, user info, query and fragment are not`

/** What the request asks for. Throws a 400 that names the wrong parameter. */
export function readSelection(request: FastifyRequest, svc: Svc): Selection {
  const query = readQuery(request)
  const catalog = svc.instance.catalog()
  const categories = readCategories(query, catalog)
  const plugins = readPlugins(query, svc)
  const endpoints = catalog.endpoints.filter(
    endpoint =>
      (categories.length === 0 || categories.includes(endpoint.category)) &&
      (plugins.length === 0 || plugins.includes(endpoint.plugin ?? '')),
  )
  return {
    baseUrl: readBaseUrl(query, request, svc),
    version: catalog.version,
    endpoints,
    folders: listFolders(endpoints),
  }
}

function readBaseUrl(query: URLSearchParams, request: FastifyRequest, svc: Svc): string {
  const given = query.get('base_url')
  if (given !== null) {
    const url = parseBaseUrl(given)
    if (url === null)
      throw new HttpError(400, { error: 'invalid base_url', detail: `got ${quoteInput(given)}, expected ${EXPECTED}` })
    return url
  }
  // A gateway that cuts a prefix off and says so is pointed at with it; a prefix that the files can't hold is not.
  return parseBaseUrl(svc.http.baseUrl(request)) ?? svc.http.origin(request).serialized
}

/** The URL without slashes at its end; null when it is none that an export may hold. */
function parseBaseUrl(text: string): string | null {
  if (text.length > MAX_URL || !BASE_URL.test(text) || !URL.canParse(text)) return null
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

function readCategories(query: URLSearchParams, { categories }: Catalog): string[] {
  const known = categories.map(({ name }) => name)
  const wanted = query.getAll('category')
  for (const category of wanted)
    if (!known.includes(category)) throw new HttpError(400, { error: 'unknown category', category, categories: known })
  return wanted
}

function readPlugins(query: URLSearchParams, { instance }: Svc): string[] {
  const wanted = query.getAll('plugin')
  if (wanted.length === 0) return wanted
  const known = instance
    .plugins()
    .filter(({ state }) => state === 'enabled')
    .map(({ name }) => name)
  for (const name of wanted)
    if (!known.includes(name)) throw new HttpError(400, { error: 'unknown plugin', name, plugins: known })
  return wanted
}
