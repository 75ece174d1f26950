/**
 * Identity assertion authorization grants (ID-JAG) by token exchange: the sign-on of an enterprise lets a client use its
 * ID token at another authorization server.
 */
import { shownText } from 'svc/toolkit'
import { OAuthError } from '../oauth/errors.ts'
import { audienceOf } from '../oauth/resource.ts'
import { requestedScope } from '../oauth/scope.ts'
import { signToken } from '../tokens/sign.ts'
import { registeredClaims, type TokenResponse } from '../tokens/token-response.ts'
import { ID_JAG_TYP, ID_JAG_TYPE } from '../trust/id-jag.ts'
import type { TokenClaims } from '../types.ts'
import type { GrantRequest } from './grant-request.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
const LIFE_S = 300
const MAX_AUDIENCE_CHARACTERS = 2048

/** Issues the grant for an ID token that the client got here; throws `invalid_request` or `invalid_target`. */
export async function issueIdJag(subject: TokenClaims, request: GrantRequest): Promise<TokenResponse> {
  const { parameters, client, resources, issuer, url } = request
  if (subject.aud !== client.id || subject.azp !== client.id)
    throw new OAuthError('invalid_request', 'subject_token must be an ID token of this client')
  const audience = await readAudience(request)
  const scope = requestedScope(parameters)
  const claims = {
    ...registeredClaims(url, shownText(subject.sub), audience, LIFE_S),
    client_id: client.id,
    ...(resources.length > 0 && { resource: audienceOf(resources, '') }),
    ...(scope.length > 0 && { scope: scope.join(' ') }),
    email: issuer.users.find(shownText(subject.sub))?.email,
    auth_time: subject.auth_time,
  }
  return {
    access_token: await signToken(claims, issuer, { typ: ID_JAG_TYP }),
    issued_token_type: ID_JAG_TYPE,
    token_type: 'N_A',
    expires_in: LIFE_S,
    scope: scope.join(' '),
  }
}

/** Whether a URL names an issuer by its path, or by a host that it has for itself. */
async function isOwnAudience(audience: string, { issuer, issuers }: GrantRequest): Promise<boolean> {
  const name = issuer.nameOf(audience)
  return (name !== DEFAULT_ISSUER || /\/oauth\/i\//.test(audience)) && (await issuers.find(name)) !== undefined
}

/** One issuer: one of this instance, or any with https. */
async function readAudience(request: GrantRequest): Promise<string> {
  const [audience, ...others] = request.parameters.getAll('audience')
  if (audience === undefined) throw new OAuthError('invalid_request', 'audience is missing')
  const isUsable = others.length === 0 && audience.length <= MAX_AUDIENCE_CHARACTERS && URL.canParse(audience)
  const isOwn = isUsable && (await isOwnAudience(audience, request))
  if (!isUsable || !(isOwn || audience.startsWith('https://')))
    throw new OAuthError('invalid_target', 'audience must be the URL of an issuer')
  return audience
}
