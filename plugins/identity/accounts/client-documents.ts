/** Clients whose id is the URL of their metadata (OAuth Client ID Metadata Document). */
import { type Store } from 'svc/plugin'
import { type Fetcher, FetchProblem, isNestedWithin, isOwnPlace, isRecord } from 'svc/toolkit'
import { readClientKeys } from '../jwt/public-keys.ts'
import { OAuthError } from '../oauth/errors.ts'
import { isRegistrableRedirectUri } from '../oauth/redirect-uri.ts'
import { parseScope } from '../oauth/scope.ts'
import type { IssuerSettings } from '../settings/issuer-settings.ts'
import type { Client } from '../stores/records.ts'

const MAX_ID_CHARACTERS = 2048
const MAX_BYTES = 5120
const MAX_REDIRECT_URIS = 10
const MIN_CACHE_S = 60

/** Whether a client id is a URL. */
export function isDocumentId(id: string): boolean {
  return /^https?:\/\//i.test(id)
}

/** Finds the client of a URL; throws `invalid_client` with the reason. */
export type FindDocumentClient = (id: string, ownBase: string) => Promise<Client>

/** Fetches documents, and keeps them as long as the settings and `max-age` say. */
export function createDocumentClients(
  { cimd }: Pick<IssuerSettings, 'cimd'>,
  fetcher: Fetcher,
  store: Store<Client>,
): FindDocumentClient {
  return async (id, ownBase) => {
    const place = checkId(id, ownBase, cimd.allow, fetcher)
    // A host that was allowed meanwhile has its own document, so own ones are kept apart.
    const key = isOwnPlace(place) ? `own ${id}` : id
    const known = await store.get(key)
    if (known !== undefined) return known
    try {
      const response = await fetcher.send(place, {
        ownBase,
        maxBytes: MAX_BYTES,
        headers: { accept: 'application/json' },
      })
      if (response.status !== 200) throw new FetchProblem(`the response has status ${response.status}`)
      if (!/^application\/(?:[a-z0-9.-]{1,100}\+)?json\b/i.test(response.contentType))
        throw new FetchProblem('it is not JSON')
      const client = readDocument(id, parse(response.body))
      await store.set(key, client, { ttlMs: cacheSeconds(response.cacheControl, cimd.cache_s) * 1000 })
      return client
    } catch (error) {
      throw error instanceof FetchProblem ? unusable(error.message) : error
    }
  }
}

/** The place of the document. */
function checkId(id: string, ownBase: string, allow: readonly string[] | undefined, fetcher: Fetcher): string {
  const url = id.length <= MAX_ID_CHARACTERS && URL.canParse(id) ? new URL(id) : null
  // The text must be the URL itself: without dot segments, upper-case hosts and default ports.
  const isPlain =
    url?.href === id && url.pathname !== '/' && url.hash === '' && url.username === '' && !id.includes('#')
  if (!isPlain) throw unusable('the id must be an https URL with a path, without user, fragment and dot segments')
  const place = fetcher.placeOf(id, ownBase)
  if (place !== null && isOwnPlace(place)) return place
  if (url.protocol !== 'https:') throw unusable('the id must be an https URL')
  const isListed = allow?.some(host => [url.host, url.hostname].includes(host.toLowerCase())) ?? true
  if (!isListed || place === null) throw unusable('its host is not allowed')
  return place
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    if (isRecord(value) && isNestedWithin(value, 16)) return value
  } catch {
    // Reported below.
  }
  throw new FetchProblem('it is not a JSON object')
}

function readDocument(id: string, value: Record<string, unknown>): Client {
  const member = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
  if (member('client_id') !== id) throw new FetchProblem('its client_id is not its URL')
  if (Object.keys(value).some(name => name.startsWith('client_secret'))) throw new FetchProblem('it has a secret')
  const uris = member('redirect_uris')
  const isUsable = Array.isArray(uris) && uris.length > 0 && uris.length <= MAX_REDIRECT_URIS
  if (
    !isUsable ||
    !uris.every((uri: unknown): uri is string => typeof uri === 'string' && isRegistrableRedirectUri(uri))
  )
    throw new FetchProblem('it has no usable redirect_uris')
  const method = member('token_endpoint_auth_method') ?? 'none'
  if (method !== 'none' && method !== 'private_key_jwt')
    throw new FetchProblem('its token_endpoint_auth_method is not none or private_key_jwt')
  const keys = method === 'private_key_jwt' ? readClientKeys(member('jwks')) : { keys: [] }
  if ('problem' in keys) throw new FetchProblem(`its jwks ${keys.problem}`)
  const name = member('client_name')
  const scope = member('scope')
  return {
    id,
    name: typeof name === 'string' ? name.slice(0, 200) : new URL(id).host,
    secret: null,
    ...(method === 'private_key_jwt' && { auth: method, jwks: keys.keys }),
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: uris,
    hasAnyLoopbackPort: true,
    scope: (typeof scope === 'string' ? parseScope(scope) : null) ?? [],
  }
}

function cacheSeconds(cacheControl: string, most: number): number {
  const maxAge = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1]
  return maxAge === undefined ? most : Math.max(Math.min(Number(maxAge), most), MIN_CACHE_S)
}

function unusable(reason: string): OAuthError {
  return new OAuthError('invalid_client', `the client metadata document cannot be used: ${reason}`)
}
