/** How users log in, by the settings of the issuer or by `svc_login` of one request. */
import { MAX_SLOW_MS } from './fault-settings.ts'
import { defaulted, integer, object, oneOf, optional, text, type ValueOf } from './shape.ts'

/** The variants of the login. */
export const LOGIN_VARIANTS = [
  'form',
  'auto',
  'consent',
  'mfa',
  'slow',
  'error',
  'unavailable',
  'broken',
  'locked',
] as const
/** A variant of the login. */
export type LoginVariant = (typeof LOGIN_VARIANTS)[number]

/** The parameter with which one request asks for a variant. */
export const LOGIN_PARAMETER = 'svc_login'

/** The member `login` of the settings. */
export const loginSettings = object({
  variant: defaulted(oneOf(LOGIN_VARIANTS), () => 'form' as const),
  /** Who logs in with the variant `auto`. */
  user: optional(text({ max: 100 })),
  /** How long the variant `slow` takes. */
  ms: defaulted(integer(0, MAX_SLOW_MS), () => 3000),
})

/** How users log in. */
export type LoginSettings = ValueOf<typeof loginSettings>
