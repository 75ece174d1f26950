/** The settings of a mock: schema, defaults and validation. */
import { type JsonSchema } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { own, type Json, type JsonObject } from '../document/json.ts'

export interface Credentials {
  /** Null accepts any non-empty value. */
  apiKeys: string[] | null
  /** Null accepts any user and password. */
  basic: Map<string, string> | null
  bearer: 'any' | 'idp' | string[]
  oauth: 'idp' | 'any'
}

export type Mode = 'off' | 'warn' | 'enforce'

export interface Settings {
  validation: Mode
  security: Mode
  prefer: boolean
  dynamic: boolean
  echo: 'off' | 'path' | 'path+body'
  /** `auto` matches with and without the path of each server URL; other values match only that path. */
  basePath: string
  delayMs: number
  seed: string
  capture: boolean
  blockBreaking: boolean
  /** Whether callbacks of the document are sent. */
  callbacks: boolean
  credentials: Credentials
  /** The JSON representation, including defaults. */
  asJson: JsonObject
}

export interface SettingsProblem {
  at: string
  message: string
}

const MODES = ['off', 'warn', 'enforce']

/** A setting. */
export interface SettingKey {
  default: Json
  /** JSON Schema for editors; accepts every value that `problem` accepts. */
  schema: JsonSchema
  /** Describes why a value is invalid; null if it is valid. */
  problem(value: Json, maxDelayMs: number): string | null
}

export const BOOLEAN: Pick<SettingKey, 'schema' | 'problem'> = { schema: { type: 'boolean' }, problem: boolean }
export const oneOf = (values: string[]): Pick<SettingKey, 'schema' | 'problem'> => ({
  schema: { enum: values },
  problem: value =>
    typeof value === 'string' && values.includes(value) ? null : `expected one of ${values.join(', ')}`,
})
const STRINGS = { type: 'array', items: { type: 'string', minLength: 1 } }

/** A whole number in a range. */
export function whole(low: number, high: number): Pick<SettingKey, 'schema' | 'problem'> {
  return {
    schema: { type: 'integer', minimum: low, maximum: high },
    problem: value =>
      Number.isInteger(value) && Number(value) >= low && Number(value) <= high
        ? null
        : `expected an integer from ${low} to ${high}`,
  }
}

/** The settings that all kinds of mocks have. */
export const COMMON_SETTINGS: Record<string, SettingKey> = {
  delay_ms: {
    default: 0,
    schema: { type: 'integer', minimum: 0 },
    problem: (value, max) =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max
        ? null
        : `expected an integer number of milliseconds from 0 to ${max}`,
  },
  seed: {
    default: '',
    schema: { type: 'string', maxLength: 64 },
    problem: value =>
      typeof value === 'string' && value.length <= 64 ? null : 'expected a string of at most 64 characters',
  },
  capture: { default: true, ...BOOLEAN },
  block_breaking: { default: false, ...BOOLEAN },
}

const KEYS: Record<string, SettingKey> = {
  validation: { default: 'warn', ...oneOf(MODES) },
  security: { default: 'warn', ...oneOf(MODES) },
  prefer: { default: true, ...BOOLEAN },
  dynamic: { default: false, ...BOOLEAN },
  echo: { default: 'path', ...oneOf(['off', 'path', 'path+body']) },
  base_path: {
    default: 'auto',
    schema: { type: 'string', maxLength: 256 },
    problem: value =>
      value === 'auto' || (typeof value === 'string' && /^(?:\/[^\s?#]*)?$/.test(value) && value.length <= 256)
        ? null
        : 'expected "auto" or a path such as "/v1"',
  },
  ...COMMON_SETTINGS,
  callbacks: { default: true, ...BOOLEAN },
  credentials: {
    default: {},
    problem: () => null,
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        api_keys: STRINGS,
        basic: { type: 'object', additionalProperties: { type: 'string' } },
        bearer: { anyOf: [{ enum: ['any', 'idp'] }, STRINGS] },
        oauth: { enum: ['any', 'idp'] },
      },
    },
  },
}

/** JSON Schema of settings, for editors. */
export const SETTINGS_SCHEMA = settingsSchema(KEYS)

export function settingsSchema(keys: Record<string, SettingKey>): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(keys).map(([key, { schema, default: fallback }]) => [key, { ...schema, default: fallback }]),
    ),
  }
}

function boolean(value: Json): string | null {
  return typeof value === 'boolean' ? null : 'expected true or false'
}

/** Validates settings and fills in defaults. */
export function readSettings(
  value: Json | undefined,
  maxDelayMs: number,
): { settings: Settings } | { problem: SettingsProblem } {
  const read = readKeys(value, KEYS, maxDelayMs)
  if ('problem' in read) return read
  const credentials = readCredentials(own(read.asJson, 'credentials') ?? {})
  if ('problem' in credentials) return credentials
  return { settings: typed(read.asJson, credentials.credentials) }
}

/** Validates an object with these settings, and fills in defaults. */
export function readKeys(
  value: Json | undefined,
  keys: Record<string, SettingKey>,
  maxDelayMs: number,
): { asJson: JsonObject } | { problem: SettingsProblem } {
  const given = value === undefined || value === null ? {} : value
  if (!isRecord(given)) return { problem: { at: 'settings', message: 'expected an object' } }
  for (const [key, entry] of Object.entries(given)) {
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (!known)
      return {
        problem: {
          at: `settings.${key.slice(0, 64)}`,
          message: `unknown setting (known: ${Object.keys(keys).join(', ')})`,
        },
      }
    const message = known.problem(entry, maxDelayMs)
    if (message) return { problem: { at: `settings.${key}`, message } }
  }
  const asJson = Object.entries(keys).map(([key, { default: fallback }]) => [key, own(given, key) ?? fallback] as const)
  return { asJson: Object.fromEntries(asJson) }
}

function typed(asJson: JsonObject, credentials: Credentials): Settings {
  return {
    validation: asJson['validation'] as Mode,
    security: asJson['security'] as Mode,
    prefer: asJson['prefer'] === true,
    dynamic: asJson['dynamic'] === true,
    echo: asJson['echo'] as Settings['echo'],
    basePath: String(asJson['base_path']),
    delayMs: Number(asJson['delay_ms']),
    seed: String(asJson['seed']),
    capture: asJson['capture'] === true,
    blockBreaking: asJson['block_breaking'] === true,
    callbacks: asJson['callbacks'] === true,
    credentials,
    asJson,
  }
}

const MAX_CREDENTIALS = 100

function isTextList(value: Json | undefined): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_CREDENTIALS &&
    value.every(entry => typeof entry === 'string' && entry !== '' && entry.length <= 4096)
  )
}

function readCredentials(value: Json): { credentials: Credentials } | { problem: SettingsProblem } {
  const wrong = (key: string, message: string): { problem: SettingsProblem } => ({
    problem: { at: `settings.credentials${key && `.${key}`}`, message },
  })
  if (!isRecord(value)) return wrong('', 'expected an object')
  const unknown = Object.keys(value).find(key => !['api_keys', 'basic', 'bearer', 'oauth'].includes(key))
  if (unknown !== undefined) return wrong(unknown.slice(0, 64), 'unknown key (known: api_keys, basic, bearer, oauth)')
  const apiKeys = own(value, 'api_keys')
  const basic = own(value, 'basic')
  const bearer = own(value, 'bearer') ?? 'any'
  const oauth = own(value, 'oauth') ?? 'idp'
  if (apiKeys !== undefined && !isTextList(apiKeys))
    return wrong('api_keys', `expected a list of at most ${MAX_CREDENTIALS} non-empty strings`)
  if (basic !== undefined && !(isRecord(basic) && isTextList(Object.values(basic))))
    return wrong('basic', 'expected an object that maps user names to passwords')
  if (bearer !== 'any' && bearer !== 'idp' && !isTextList(bearer))
    return wrong('bearer', 'expected "any", "idp" or a list of tokens')
  if (oauth !== 'any' && oauth !== 'idp') return wrong('oauth', 'expected "any" or "idp"')
  return {
    credentials: {
      apiKeys: apiKeys ?? null,
      basic: isRecord(basic)
        ? new Map(Object.entries(basic).map(([user, password]) => [user, String(password)]))
        : null,
      bearer,
      oauth,
    },
  }
}
