/** The device authorization request (RFC 8628, 3.1), with parameters for tests without a browser. */
import type { Issuer } from '../issuers/issuer.ts'
import { loginOf } from '../login/login.ts'
import { OAuthError } from '../oauth/errors.ts'
import { DEVICE_CODE } from '../oauth/grant-types.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { checkResources } from '../oauth/resource.ts'
import { userScope } from '../oauth/scope.ts'
import type { Client, DeviceCode } from '../stores/records.ts'
import { createDeviceCode, DEVICE_CODE_LIFE_S, OUTCOMES, POLL_INTERVAL_S } from './device-codes.ts'

const MAX_AFTER_S = 600

/** The response (RFC 8628, 3.2). Throws `unauthorized_client`, `invalid_scope`, `invalid_target` or `invalid_request`. */
export async function authorizeDevice(
  parameters: Parameters,
  client: Client,
  issuer: Issuer,
  url: string,
): Promise<Record<string, unknown>> {
  if (!client.grantTypes.includes(DEVICE_CODE) || !issuer.settings.grants.includes(DEVICE_CODE))
    throw new OAuthError('unauthorized_client', 'the client may not use the device grant')
  const planned = readPlan(parameters, issuer)
  const { deviceCode, userCode } = await createDeviceCode(
    {
      clientId: client.id,
      scope: userScope(parameters, client),
      resources: checkResources(parameters.getAll('resource')),
      ...(planned !== undefined && { planned }),
    },
    issuer.stores.deviceCodes,
  )
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${url}/device`,
    verification_uri_complete: `${url}/device?user_code=${userCode}`,
    expires_in: DEVICE_CODE_LIFE_S,
    interval: POLL_INTERVAL_S,
  }
}

/** `svc_outcome`, `svc_after_s` and `svc_user`: what happens without a browser. */
function readPlan(parameters: Parameters, issuer: Issuer): DeviceCode['planned'] {
  const asked = parameters.get('svc_outcome')
  const after = parameters.get('svc_after_s') ?? '0'
  if (asked === undefined) {
    for (const name of ['svc_after_s', 'svc_user'])
      if (parameters.has(name)) throw new OAuthError('invalid_request', `${name} needs svc_outcome`)
    return undefined
  }
  const outcome = OUTCOMES.find(known => known === asked)
  if (outcome === undefined)
    throw new OAuthError('invalid_request', `svc_outcome must be one of ${OUTCOMES.join(', ')}`)
  if (!/^\d{1,3}$/.test(after) || Number(after) > MAX_AFTER_S)
    throw new OAuthError('invalid_request', `svc_after_s must be a number from 0 to ${MAX_AFTER_S}`)
  const user = issuer.users.find(parameters.get('svc_user') ?? 'demo') ?? undefined
  const chosen = parameters.has('svc_user') ? user : (user ?? issuer.users.list[0])
  if (chosen === undefined) throw new OAuthError('invalid_request', 'svc_user is not a user of this issuer')
  const at = Date.now() + Number(after) * 1000
  return { outcome, at, login: { ...loginOf(chosen, chosen.mfa === true), authTime: Math.floor(at / 1000) } }
}
