/** The grant `device_code` (RFC 8628, 3.4 and 3.5). */
import { isSameSecret } from 'svc/toolkit'
import { deviceState, splitDeviceCode } from '../device/device-codes.ts'
import { beginSession } from '../login/sessions.ts'
import { OAuthError } from '../oauth/errors.ts'
import { required } from '../oauth/parameters.ts'
import { firstNonEmpty } from '../oauth/scope.ts'
import type { DeviceCode } from '../stores/records.ts'
import { type GrantHandler, type GrantRequest, issueUserTokens } from './grant-request.ts'

/** Clocks and networks are not exact: a poll this much too early is not reported. */
const TOLERANCE_MS = 100
/** What `slow_down` adds to the interval (RFC 8628, 3.5). */
const SLOW_DOWN_S = 5

/** Issues tokens once the user has approved; until then it throws the state of the code. */
export const deviceCode: GrantHandler = async request => {
  const { parameters, client, resources, issuer, url } = request
  const code = required(parameters, 'device_code')
  const { userCode, record } = await poll(code, request)
  const state = deviceState(record, Date.now())
  if (state === 'pending') {
    // Two polls close together count as too fast, whichever of them came first.
    if (record.isTooFast) throw new OAuthError('slow_down', 'the device must poll less often')
    throw new OAuthError('authorization_pending', 'the user has not decided yet')
  }
  if (state === 'expired') throw new OAuthError('expired_token', 'the device code has expired')
  // Of several polls one gets the tokens.
  if ((await issuer.stores.deviceCodes.take(userCode)) === undefined) throw unknown()
  if (state === 'denied') throw new OAuthError('access_denied', 'the user denied the request')
  const { scope, login } = state
  return issueUserTokens(
    {
      client,
      login: await beginSession(login, client.id, issuer, url),
      scope: scope ?? record.scope,
      resources: firstNonEmpty(resources, record.resources),
    },
    request,
  )
}

/** Records the poll; throws `invalid_grant` for a code that is not the client's. */
async function poll(
  code: string,
  { client, issuer: { stores } }: GrantRequest,
): Promise<{ userCode: string; record: DeviceCode }> {
  const { userCode, secret } = splitDeviceCode(code)
  const now = Date.now()
  const isOwn = (record: DeviceCode | undefined): record is DeviceCode =>
    record !== undefined && record.clientId === client.id && isSameSecret(secret, record.secret)
  const record = await stores.deviceCodes.update(userCode, current => (isOwn(current) ? polled(current, now) : current))
  if (!isOwn(record)) throw unknown()
  return { userCode, record }
}

function polled(record: DeviceCode, now: number): DeviceCode {
  const isTooFast = record.polledAt !== null && now - record.polledAt < record.intervalS * 1000 - TOLERANCE_MS
  return { ...record, polledAt: now, isTooFast, intervalS: record.intervalS + (isTooFast ? SLOW_DOWN_S : 0) }
}

function unknown(): OAuthError {
  return new OAuthError('invalid_grant', 'the device code is unknown, used or was issued to another client')
}
