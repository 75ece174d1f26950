/** The policy `jwt`: a bearer token of the identity provider (RFC 6750). */
import type { Svc } from 'svc/plugin'
import { readBearerToken } from 'svc/toolkit'
import type {} from '../../identity/types.ts'
import { allow, deny, type Decision } from '../decision.ts'
import { headerOf, type Policy } from './policy.ts'

const REALM = 'Bearer realm="svc"'

export function jwtPolicy(svc: Svc<unknown>): Policy {
  const tokens = svc.use('identity.tokens')
  return {
    name: 'jwt',
    summary: 'Verifies a bearer token of the identity provider, with `issuer`, `audience` and `scope` if given.',
    async decide({ checked, parameter }) {
      if (tokens === undefined) return { decision: 'error', reason: 'the plugin identity is disabled' }
      const token = readBearerToken(headerOf(checked, 'authorization'))
      if (token === null) return challenge(401, 'no bearer token', '')
      const audience = parameter('audience')
      const verified = await tokens.verify(token, {
        issuers: '*',
        ...(parameter('issuer') === undefined ? {} : { issuer: parameter('issuer')! }),
        ...(audience === undefined ? {} : { audiences: [audience] }),
        refuseRevoked: true,
      })
      if (!verified.valid)
        return challenge(401, verified.reason, `, error="invalid_token", error_description="${verified.reason}"`)
      const { sub, scope, tenant } = verified.claims
      const granted = scopesOf(scope)
      const missing = scopesOf(parameter('scope')).filter(needed => !granted.includes(needed))
      if (missing.length > 0)
        return challenge(
          403,
          `insufficient_scope: ${missing.join(' ')}`,
          `, error="insufficient_scope", scope="${missing.join(' ').replace(/[\\"]/g, '')}"`,
        )
      return allow('valid token', {
        user: textOf(sub),
        scopes: granted.length === 0 ? undefined : granted.join(' '),
        tenant: textOf(tenant),
      })
    },
  }
}

function challenge(status: number, reason: string, parameters: string): Decision {
  return deny(status, reason, [['WWW-Authenticate', (REALM + parameters).replace(/[^\x20-\x7e]/g, '?')]])
}

function scopesOf(value: unknown): string[] {
  return typeof value === 'string' ? value.split(' ').filter(scope => scope !== '') : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
