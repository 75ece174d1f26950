/** An issuer: settings, users, clients, keys and stores. The one at `/oauth` is called `default`. */
import type { AnyRequest, Svc } from 'svc/plugin'
import { createClients } from '../clients/clients.ts'
import type { ClientSources, FindClient } from '../clients/clients.ts'
import { demoClients } from '../clients/demo-clients.ts'
import { createIssuerKeys } from '../keys/issuer-keys.ts'
import type { IssuerKeys, KeySource } from '../keys/issuer-keys.ts'
import { storesOf } from '../stores.ts'
import type { Stores } from '../stores.ts'
import { createRevocations } from '../tokens/revocations.ts'
import type { Revocations } from '../tokens/revocations.ts'
import { createUsers } from '../users/users.ts'
import type { Users } from '../users/users.ts'
import { DEFAULT_ISSUER } from './issuer-settings.ts'
import type { IssuerSettings } from './issuer-settings.ts'

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
  readonly keys: IssuerKeys
  /** Its path: empty for the default issuer. */
  readonly path: string
  /** Its identifier for a request, without a trailing slash. */
  url(request: AnyRequest): string
}

/** What every issuer needs. */
export interface IssuerParts {
  svc: Svc
  stores: Stores
  keys: Pick<KeySource, 'records' | 'importKey'>
  demoKey: ClientSources['demoKey']
}

/** Puts an issuer together. `first` is the key of the default issuer. */
export function createIssuer(
  settings: IssuerSettings,
  source: IssuerSource,
  { svc, stores, keys, demoKey }: IssuerParts,
  first?: KeySource['first'],
): Issuer {
  const { name } = settings
  const own = storesOf(stores, name)
  const path = name === DEFAULT_ISSUER ? '' : `/oauth/i/${name}`
  return {
    name,
    source,
    settings,
    path,
    stores: own,
    users: createUsers(settings.users, { demo: settings.demo_users }),
    findClient: createClients(settings.clients, {
      demo: settings.demo_clients ? demoClients(name) : [],
      registered: own.clients,
      demoKey,
    }),
    revocations: createRevocations(own.revoked),
    keys: createIssuerKeys({
      issuer: name,
      algorithms: settings.algorithms,
      rotateEveryS: settings.rotate_every_s,
      ...keys,
      ...(first && { first }),
    }),
    url: request => svc.http.baseUrl(request) + path,
  }
}

/** The URL of an endpoint. `url` is that of the issuer. */
export function endpointUrl({ name }: Pick<Issuer, 'name'>, url: string, endpoint: string): string {
  return name === DEFAULT_ISSUER ? `${url}/oauth/${endpoint}` : `${url}/${endpoint}`
}

/** The name of the issuer in an issuer identifier; `default` if it is not one by path. */
export function issuerNameOf(url: unknown): string {
  const name = typeof url === 'string' ? /\/oauth\/i\/([a-z][a-z0-9-]{0,31})$/.exec(url.slice(-48))?.[1] : undefined
  return name ?? DEFAULT_ISSUER
}
