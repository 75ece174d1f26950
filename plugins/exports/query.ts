/** Parses the query of exports: the target of requests and the selected part of the catalog. */
import {
  HttpError,
  isSelected,
  quoteInput,
  readCatalogSelection,
  readQuery,
  type FastifyRequest,
  type Svc,
} from 'svc/plugin'
import { listFolders } from './entries.ts'
import type { Selection } from './format.ts'

const MAX_URL = 2048
/** Value of `include` for requests that change the instance. */
export const CONTROL = 'control'
/** Contains no characters that are special in shells, templates or quoted text. */
const BASE_URL = /^https?:\/\/(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/[A-Za-z0-9._~%/-]*)?$/i
const EXPECTED = `an absolute http or https URL of at most ${MAX_URL} characters; a path prefix (A-Za-z0-9._~%/-) is allowed, user info, query and fragment are not`

/** Parses the request. Throws a 400 that names the invalid parameter. */
export function readSelection(request: FastifyRequest, svc: Svc): Selection {
  const query = readQuery(request)
  const catalog = svc.instance.catalog()
  const selection = readCatalogSelection(query, {
    categories: catalog.categories,
    plugins: svc.instance.plugins(),
  })
  const endpoints = catalog.endpoints.filter(endpoint => isSelected(selection, endpoint))
  return {
    baseUrl: readBaseUrl(query, request, svc),
    version: catalog.version,
    endpoints,
    folders: listFolders(endpoints, { withControl: readsControl(query) }),
  }
}

function readBaseUrl(query: URLSearchParams, request: FastifyRequest, svc: Svc): string {
  const text = query.get('base_url')
  if (text !== null) {
    const url = parseBaseUrl(text)
    if (url === null)
      throw new HttpError(400, { error: 'invalid base_url', detail: `got ${quoteInput(text)}, expected ${EXPECTED}` })
    return url
  }
  // Includes the prefix that a gateway strips and reports, unless files cannot contain it.
  return parseBaseUrl(svc.http.baseUrl(request)) ?? svc.http.origin(request).serialized
}

/** The URL without trailing slashes; null if it is not allowed in an export. */
function parseBaseUrl(text: string): string | null {
  if (text.length > MAX_URL || !BASE_URL.test(text) || !URL.canParse(text)) return null
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** Whether requests that change the instance are wanted. */
function readsControl(query: URLSearchParams): boolean {
  const included = query.getAll('include')
  for (const name of included)
    if (name !== CONTROL) throw new HttpError(400, { error: 'unknown include', name, include: [CONTROL] })
  return included.length > 0
}
