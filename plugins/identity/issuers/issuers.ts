/** All issuers: the default one, built-in ones, and those of `svc.yaml`, plugins and the control plane. */
import type { Store, Svc } from 'svc/plugin'
import type { KeySource } from '../keys/issuer-keys.ts'
import { DEFAULT_ISSUER_GRANTS } from '../oauth/grant-types.ts'
import { DEFAULT_ISSUER, issuerSettings, type IssuerSettings } from '../settings/issuer-settings.ts'
import { type IdentityOptions, readSection, reportShape } from '../settings/options.ts'
import { ShapeError } from '../settings/shape.ts'
import { openAddedIssuers, storesOf } from '../stores/stores.ts'
import { BUILT_IN_ISSUERS } from './built-in.ts'
import { createIssuer, type Issuer, type IssuerParts, type IssuerSource } from './issuer.ts'

/** All issuers. */
export interface Issuers {
  readonly default: Issuer
  find(name: string): Promise<Issuer | undefined>
  /** The issuers by path, in the order of their sources. */
  list(): Promise<Issuer[]>
  /** Creates or replaces an issuer of the control plane; the result is false if it existed. */
  put(settings: IssuerSettings): Promise<boolean>
  /** Removes an issuer of the control plane. */
  remove(name: string): Promise<boolean>
  /** Adds an issuer of a plugin. Throws a `ShapeError`. */
  add(settings: unknown): void
}

/** Opens the issuers of the settings. `first` is the key of the default issuer. */
export function createIssuers(
  svc: Svc<IdentityOptions>,
  parts: IssuerParts,
  first: NonNullable<KeySource['first']>,
): Issuers {
  const added = openAddedIssuers(svc)
  const fixed = new Map<string, Issuer>()
  const keep = (value: unknown, source: IssuerSource): void => {
    const settings = issuerSettings.read(value, '')
    if (settings.name === DEFAULT_ISSUER) throw new ShapeError('name', 'the issuer at /oauth has this name')
    if (fixed.has(settings.name)) throw new ShapeError('name', `the issuer ${settings.name} exists already`)
    fixed.set(settings.name, createIssuer(settings, source, parts))
  }
  for (const { algorithms, ...more } of BUILT_IN_ISSUERS)
    keep({ ...more, ...(algorithms && { algorithms: [...algorithms] }) }, 'builtin')
  const { users, clients, issuers } = readSection(svc)
  for (const { value, at } of issuers) reportShape(svc, at, () => keep(value, 'config'))
  const ofDefault = {
    ...issuerSettings.read({ name: 'placeholder', algorithms: ['RS256'] }, ''),
    name: DEFAULT_ISSUER,
    grants: [...DEFAULT_ISSUER_GRANTS],
    users,
    clients,
  }
  const byDefault = createIssuer(ofDefault, 'builtin', parts, first)

  return {
    default: byDefault,
    async find(name) {
      if (name === DEFAULT_ISSUER) return byDefault
      const known = fixed.get(name)
      if (known !== undefined) return known
      const settings = await added.peek(name)
      return settings === undefined ? undefined : createIssuer(settings, 'api', parts)
    },
    async list() {
      const ofApi = await added.list()
      return [...fixed.values(), ...ofApi.map(({ value }) => createIssuer(value, 'api', parts))]
    },
    async put(settings) {
      const isNew = await added.add(settings.name, settings)
      if (!isNew) await added.set(settings.name, settings)
      return isNew
    },
    async remove(name) {
      const isRemoved = await added.delete(name)
      if (!isRemoved) return false
      await parts.keys.records.delete(name)
      const own: readonly Pick<Store<unknown>, 'clear'>[] = Object.values(storesOf(parts.stores, name))
      await Promise.all(own.map(store => store.clear()))
      return true
    },
    add: settings => keep(settings, 'plugin'),
  }
}
