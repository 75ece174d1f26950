/** The section `identity` of svc.yaml. */
import type { HttpListenerEntry, JsonSchema, Svc } from 'svc/plugin'
import { HOST_SCHEMA, HTTP_LISTENER_PROPERTIES } from 'svc/toolkit'
import { type ClientSettings, defaultClientSettings, userSettings, type UserSettings } from './account-settings.ts'
import { fetchHost, issuerSettings } from './issuer-settings.ts'
import { below, defaulted, list, object, required, type Shape, ShapeError, text } from './shape.ts'

/** The setting with the hosts that may be reached, for messages. */
export const FETCH_ALLOW = 'identity.fetch_allow'

const MAX_ACCOUNTS = 200
const MAX_ISSUERS = 50

/** The section after its schema was applied. Some rules are checked when an item is read. */
export type IdentityOptions = {
  users: unknown[]
  clients: unknown[]
  issuers: unknown[]
  /** Hosts, `host` or `host:port`, that may be reached. */
  fetch_allow: string[]
  /** Hosts that an issuer has for itself. */
  hosts: { host: string; issuer: string }[]
  /** Ports that an issuer has for itself. */
  listeners: (HttpListenerEntry & { issuer: string })[]
}

/** A host, and the issuer that has it for itself. */
const issuerHost = object({
  host: required({ schema: HOST_SCHEMA, read: value => String(value) }),
  issuer: required(text({ max: 32 })),
})

/** A port, and the issuer that has it for itself. */
const issuerListener: Shape<unknown> = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['port', 'issuer'],
    properties: { ...HTTP_LISTENER_PROPERTIES, issuer: { type: 'string', minLength: 1, maxLength: 32 } },
  },
  read: value => value,
}

/** The JSON Schema of the section. */
export const OPTIONS: JsonSchema = object({
  users: defaulted(list(userSettings, { max: MAX_ACCOUNTS }), () => []),
  clients: defaulted(list(defaultClientSettings, { max: MAX_ACCOUNTS }), () => []),
  issuers: defaulted(list(issuerSettings, { max: MAX_ISSUERS }), () => []),
  fetch_allow: defaulted(list(fetchHost, { max: 50 }), () => []),
  hosts: defaulted(list(issuerHost, { max: 100 }), () => []),
  listeners: defaulted(list(issuerListener, { max: 64 }), () => []),
}).schema

/** The usable items of the section; others are reported. */
export interface Section {
  users: UserSettings[]
  clients: ClientSettings[]
  /** With the path of each for errors. */
  issuers: { value: unknown; at: string }[]
}

/** Reads the section, and reports items that the schema can't check. */
export function readSection(svc: Svc<IdentityOptions>): Section {
  const { users, clients, issuers } = svc.options
  const readAll = <K extends string, T extends Record<K, string>>(
    values: unknown[],
    name: string,
    shape: Shape<T>,
    key: K,
  ): T[] => {
    const found = new Map<string, T>()
    for (const [index, value] of values.entries())
      reportShape(svc, `identity.${name}[${index}]`, () => {
        const read = shape.read(value, '')
        if (found.has(read[key])) throw new ShapeError(key, 'occurs twice')
        found.set(read[key], read)
      })
    return [...found.values()]
  }
  return {
    users: readAll(users, 'users', userSettings, 'name'),
    clients: readAll(clients, 'clients', defaultClientSettings, 'client_id'),
    issuers: issuers.map((value, index) => ({ value, at: `identity.issuers[${index}]` })),
  }
}

/** Runs `read` and reports a `ShapeError` for the item at a path. */
export function reportShape(svc: Svc<IdentityOptions>, at: string, read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    svc.reportLoadError({ at: error.at === '' ? at : below(at, error.at), message: error.message })
  }
}
