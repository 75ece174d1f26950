/** The issuers whose assertions an issuer accepts, as in the settings. */
import { clientKeys, place } from './account-settings.ts'
import {
  defaulted,
  list,
  object,
  oneOf,
  optional,
  refined,
  required,
  type Shape,
  ShapeError,
  text,
  type ValueOf,
} from './shape.ts'

/** What a trusted issuer may assert: a user to a client (ID-JAG), or a workload. */
export const TRUST_TYPES = ['id-jag', 'workload'] as const
/** What a trusted issuer may assert. */
export type TrustType = (typeof TRUST_TYPES)[number]

/** The name of an issuer here. */
const NAME = /^[a-z][a-z0-9-]{0,31}$/

const issuer: Shape<string> = {
  schema: { type: 'string', minLength: 1, maxLength: 2048 },
  read(value, at) {
    const isKnownForm =
      typeof value === 'string' && value.length <= 2048 && (NAME.test(value) || /^https?:\/\/[^/?#]/.test(value))
    if (!isKnownForm) throw new ShapeError(at, 'expected the name of an issuer, or a URL')
    return value
  },
}

const entry = object({
  issuer: required(issuer),
  jwks: optional(clientKeys),
  jwks_uri: optional(place),
  types: defaulted(list(oneOf(TRUST_TYPES), { min: 1, max: 2, unique: true }), () => [...TRUST_TYPES]),
  subjects: defaulted(list(text({ max: 200 }), { min: 1, max: 50 }), () => ['*']),
  client: defaulted(text({ max: 200 }), () => 'svc'),
})

/** An issuer that is trusted. */
export const trustEntry = refined(entry, (value, at) => {
  if (!NAME.test(value.issuer) && value.jwks === undefined && value.jwks_uri === undefined)
    throw new ShapeError(at, 'an issuer with a URL needs jwks or jwks_uri')
})
/** An issuer that is trusted. */
export type TrustEntry = ValueOf<typeof trustEntry>

/** Whether the entry names an issuer of this instance. */
export function isOwnName(issuer: string): boolean {
  return NAME.test(issuer)
}
