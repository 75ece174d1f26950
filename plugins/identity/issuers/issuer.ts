/** An issuer: settings, users, clients, keys and stores. The one at `/oauth` is called `default`. */
import type { AnyRequest, Svc } from 'svc/plugin'
import type { Fetcher } from 'svc/toolkit'
import type { JWK } from 'jose'
import { createDocumentClients, isDocumentId } from '../accounts/client-documents.ts'
import { type ClientSources, createClients, type FindClient } from '../accounts/clients.ts'
import { demoClients } from '../accounts/demo-clients.ts'
import { createUsers, type Users } from '../accounts/users.ts'
import { createIssuerKeys, type IssuerKeys, type KeySource } from '../keys/issuer-keys.ts'
import { JWT_BEARER } from '../oauth/grant-types.ts'
import { createRemoteKeys } from '../outbound/remote-keys.ts'
import { DEFAULT_ISSUER, type IssuerSettings } from '../settings/issuer-settings.ts'
import { type IssuerNameOf, nameByPath } from './issuer-hosts.ts'
import { createRevocations, type Revocations } from '../stores/revocations.ts'
import { type Stores, storesOf } from '../stores/stores.ts'

/** Where an issuer was defined. */
export type IssuerSource = 'builtin' | 'config' | 'plugin' | 'api'

/** An issuer. Its tokens, codes, clients and keys are unknown to the others. */
export interface Issuer {
  readonly name: string
  readonly source: IssuerSource
  readonly settings: IssuerSettings
  readonly users: Users
  readonly findClient: FindClient
  readonly stores: Stores
  readonly revocations: Revocations
  /** The keys at a path of this instance or a URL; empty if they can't be fetched. `url` is the identifier of the issuer. */
  remoteKeys(place: string, url: string): Promise<readonly JWK[]>
  /** Where a URL that a client names leads: to a path of this instance or to an allowed host; null: neither. */
  placeOf(uri: string, url: string): string | null
  readonly keys: IssuerKeys
  /** Its path: empty for the default issuer. */
  readonly path: string
  /** The name of the issuer that an identifier names; `default` if it is not one by path or host. */
  nameOf: IssuerNameOf
  /** Its identifier for a request, without a trailing slash. */
  url(request: AnyRequest): string
}

/** What every issuer needs. */
export interface IssuerParts {
  svc: Svc
  stores: Stores
  keys: Pick<KeySource, 'records' | 'importKey'>
  demoKey: ClientSources['demoKey']
  fetcher: Fetcher
  /** Default: by path. */
  nameOf?: IssuerNameOf
}

/** Puts an issuer together. `first` is the key of the default issuer. */
export function createIssuer(
  settings: IssuerSettings,
  source: IssuerSource,
  { svc, stores, keys, demoKey, fetcher, nameOf = nameByPath }: IssuerParts,
  first?: KeySource['first'],
): Issuer {
  const { name } = settings
  const own = storesOf(stores, name)
  const path = name === DEFAULT_ISSUER ? '' : `/oauth/i/${name}`
  // The URL of an issuer with its own host has no path.
  const ownBase = (url: string): string => (url.endsWith(path) ? url.slice(0, url.length - path.length) : url)
  const fetchKeys = createRemoteKeys(fetcher, own.keySets)
  const findDocument = createDocumentClients(settings, fetcher, own.clientDocuments)
  const findKnown = createClients(settings.clients, {
    demo: settings.demo_clients ? demoClients(name) : [],
    registered: own.clients,
    demoKey,
  })
  const remoteKeys = (place: string, url: string): Promise<readonly JWK[]> => fetchKeys(place, ownBase(url))
  return {
    name,
    source,
    settings,
    path,
    stores: own,
    users: createUsers(settings.users, { demo: settings.demo_users }),
    remoteKeys,
    placeOf: (uri, url) => fetcher.placeOf(uri, ownBase(url)),
    async findClient(id, url) {
      const client = await findKnown(id)
      if (client?.jwksUri !== undefined) return { ...client, jwks: await remoteKeys(client.jwksUri, url) }
      const isDocument = client === undefined && name !== DEFAULT_ISSUER && isDocumentId(id)
      return isDocument ? findDocument(id, ownBase(url)) : client
    },
    revocations: createRevocations(own.revoked),
    keys: createIssuerKeys({
      issuer: name,
      algorithms: settings.algorithms,
      rotateEveryS: settings.rotate_every_s,
      ...keys,
      ...(first && { first }),
    }),
    nameOf,
    url: request => (path === '' ? svc.http.baseUrl(request) : svc.http.url(request, path).replace(/\/$/, '')),
  }
}

/** The URL of an endpoint. `url` is that of the issuer. */
export function endpointUrl({ name }: Pick<Issuer, 'name'>, url: string, endpoint: string): string {
  return name === DEFAULT_ISSUER ? `${url}/oauth/${endpoint}` : `${url}/${endpoint}`
}

/** Whether the issuer takes identity assertions of others as a grant. */
export function takesIdentityAssertions({ settings }: Issuer): boolean {
  return settings.grants.includes(JWT_BEARER) && settings.trust.some(({ types }) => types.includes('id-jag'))
}
