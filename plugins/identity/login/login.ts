/** A login, and how it appears in ID tokens (OpenID Connect Core, 2; RFC 8176). */
import type { Login, User } from '../stores/records.ts'
import type { TokenClaims } from '../types.ts'

/** The `acr` of a login with a password and with a one-time code in addition. */
export const ACR = { password: 'urn:svc:acr:pwd', mfa: 'urn:svc:acr:mfa' } as const
/** The right one-time code, for every user. */
export const ONE_TIME_CODE = '123456'

/** A login at this moment. */
export function loginOf(user: User, isMfa: boolean): Login {
  return { user, authTime: Math.floor(Date.now() / 1000), ...(isMfa && { isMfa: true }) }
}

/** Whether the user must enter a one-time code: each time, or because the client asks for it. */
export function needsMfa(user: User, acrValues: string | undefined): boolean {
  return user.mfa === true || (acrValues ?? '').split(' ').includes(ACR.mfa)
}

/** How the user was authenticated, and the session. */
export function authenticationClaims({ isMfa, sid }: Login): TokenClaims {
  return {
    amr: isMfa === true ? ['pwd', 'otp'] : ['pwd'],
    acr: isMfa === true ? ACR.mfa : ACR.password,
    ...(sid !== undefined && { sid }),
  }
}
