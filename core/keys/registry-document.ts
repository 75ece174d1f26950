/** The document of a key registry: a list of keys and their limits, in YAML or JSON. */
import { parse } from 'yaml'
import { isRecord } from '../contract/record.ts'
import { digestOf, isWellFormed, type KeyRecord } from './api-key.ts'

const MAX_KEYS = 10_000

export interface RegistryDocument {
  /** By the SHA-256 of the key, in hex. */
  keys: Map<string, KeyRecord>
  /** One sentence per ignored entry. None contains a key. */
  problems: string[]
}

/** Parses a registry; invalid entries are ignored. Throws if the document as a whole is invalid. */
export function parseRegistry(text: string, defaultDaily: number | null): RegistryDocument {
  const document: unknown = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text, { maxAliasCount: 100 })
  if (!isRecord(document)) throw new Error('expected a mapping')
  const entries = document.keys
  if (!Array.isArray(entries)) throw new Error('expected "keys" to be a list')
  if (entries.length > MAX_KEYS) throw new Error(`more than ${MAX_KEYS} keys`)

  const keys = new Map<string, KeyRecord>()
  const ids = new Set<string>()
  const problems: string[] = []
  entries.forEach((entry: unknown, index) => {
    try {
      const { digest, record } = readEntry(entry, defaultDaily)
      if (ids.has(record.id)) throw new Error(`the id ${record.id} is already used by another entry`)
      if (keys.has(digest)) throw new Error('the key is already used by another entry')
      ids.add(record.id)
      keys.set(digest, record)
    } catch (error) {
      problems.push(`keys[${index}]: ${(error as Error).message}`)
    }
  })
  return { keys, problems }
}

function readEntry(entry: unknown, defaultDaily: number | null): { digest: string; record: KeyRecord } {
  if (typeof entry !== 'object' || entry === null) throw new Error('expected a mapping')
  const fields = new Map(Object.entries(entry))
  const id = fields.get('id')
  if (typeof id !== 'string' || !/^[\w.-]{1,64}$/.test(id))
    throw new Error('id must be 1 to 64 of the characters A-Z a-z 0-9 . _ -')
  const rps = optional(fields, 'rps', isPositive, 'a number above 0')
  return {
    digest: readDigest(fields),
    record: {
      id,
      name: optional(fields, 'name', isName, 'text of at most 80 characters'),
      dailyRequests: readDaily(fields, defaultDaily),
      rps,
      burst: optional(fields, 'burst', isPositive, 'a number above 0') ?? rps,
      enabled: optional(fields, 'enabled', isBoolean, 'true or false') ?? true,
      expiresAt: readTime(fields),
    },
  }
}

function readDigest(fields: Map<string, unknown>): string {
  const key = fields.get('key')
  const digest = fields.get('key_sha256')
  if ((key === undefined) === (digest === undefined)) throw new Error('exactly one of key and key_sha256 is required')
  if (digest !== undefined) {
    if (typeof digest !== 'string' || !/^[\da-f]{64}$/i.test(digest))
      throw new Error('key_sha256 must be 64 hex digits')
    return digest.toLowerCase()
  }
  if (typeof key !== 'string' || !isWellFormed(key))
    throw new Error('key must be text of 8 to 256 visible ASCII characters')
  return digestOf(key)
}

function readDaily(fields: Map<string, unknown>, fallback: number | null): number | null {
  const value = fields.get('daily_requests')
  if (value === undefined || value === null) return fallback
  if (typeof value === 'string' && value.toLowerCase() === 'unlimited') return null
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new Error('daily_requests must be a whole number or "unlimited"')
  return (value as number) || null
}

function readTime(fields: Map<string, unknown>): number | null {
  const value = optional(fields, 'expires_at', isTime, 'a time such as 2027-01-31T00:00:00Z')
  return value === null ? null : Date.parse(value)
}

function optional<T>(
  fields: Map<string, unknown>,
  name: string,
  isValid: (value: unknown) => value is T,
  expected: string,
): T | null {
  const value = fields.get(name)
  if (value === undefined || value === null) return null
  if (!isValid(value)) throw new Error(`${name} must be ${expected}`)
  return value
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 80
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** A date, or a date and time with an offset (RFC 3339). */
function isTime(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  )
}
