/** Values of scalars and enums, by a key: the same key gives the same value in every process. */
import { getNamedType, type GraphQLEnumType, type GraphQLScalarType } from 'graphql'
import type { Json } from '../document/json.ts'
import { SeededRandom } from '../schema/seed.ts'
import { wordFor } from '../schema/words.ts'

const two = (value: number): string => String(value).padStart(2, '0')

function date(random: SeededRandom): string {
  return `2024-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`
}

function time(random: SeededRandom): string {
  return `${two(random.integer(0, 23))}:${two(random.integer(0, 59))}:${two(random.integer(0, 59))}Z`
}

/** Addresses and names are those reserved for documentation (RFC 2606, RFC 3849, RFC 5737). */
const BY_NAME: Record<string, ((random: SeededRandom, field: string) => Json) | undefined> = {
  Int: random => random.integer(1, 1000),
  Float: random => random.integer(100, 100_000) / 100,
  String: (random, field) => wordFor(field, random),
  Boolean: random => random.integer(0, 1) === 1,
  ID: (random, field) => `${field.replace(/_?ids?$/i, '').toLowerCase() || 'id'}-${random.integer(1, 1000)}`,
  DateTime: random => `${date(random)}T${time(random)}`,
  Date: date,
  Time: time,
  Duration: random => `PT${random.integer(1, 48)}H`,
  UUID: random =>
    `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${random.hex(3)}-${random.hex(12)}`,
  URL: random => `https://example.com/${random.hex(6)}`,
  URI: random => `https://example.com/${random.hex(6)}`,
  EmailAddress: random => `${random.pick(['ada', 'grace', 'linus', 'maya'])}@example.com`,
  JSON: random => ({ value: random.integer(1, 1000) }),
  JSONObject: random => ({ value: random.integer(1, 1000) }),
  BigInt: random => random.integer(1, 1_000_000),
  Long: random => random.integer(1, 1_000_000),
  Decimal: random => (random.integer(100, 100_000) / 100).toFixed(2),
  IPv4: random => `192.0.2.${random.integer(1, 254)}`,
  IPv6: random => `2001:db8::${random.integer(1, 65_535).toString(16)}`,
}

/** Whether the values of a scalar have the form that its name promises. */
export function isKnownScalar(name: string): boolean {
  return Object.hasOwn(BY_NAME, name)
}

/** The value of a leaf; `field` is the name of the field. */
export function leafValue(type: GraphQLScalarType | GraphQLEnumType, key: string, field: string): Json {
  const random = new SeededRandom(key)
  if ('getValues' in type) return random.pick(type.getValues())?.name ?? null
  const make = Object.hasOwn(BY_NAME, type.name) ? BY_NAME[type.name] : undefined
  return make === undefined ? `${getNamedType(type).name}-${random.integer(1, 1000)}` : make(random, field)
}
