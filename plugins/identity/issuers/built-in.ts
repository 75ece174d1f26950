/** The issuers that every instance has. */
import type { KeyPairAlgorithm } from '../jwt/algorithms.ts'

/** The name of the issuer whose metadata and answers are wrong. */
export const HOSTILE = 'hostile'

/** A built-in issuer, as in the settings. */
export interface BuiltInIssuer {
  name: string
  title: string
  algorithms?: readonly KeyPairAlgorithm[]
  [setting: string]: unknown
}

export const BUILT_IN_ISSUERS: readonly BuiltInIssuer[] = [
  {
    name: 'full',
    title: 'Everything supported, nothing required',
    algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA'],
    trust: [
      { issuer: 'idp', types: ['id-jag'] },
      { issuer: 'workload', types: ['workload'] },
    ],
  },
  { name: 'idp', title: 'Sign-on of an enterprise' },
  {
    name: 'strict',
    title: 'Requires what FAPI 2.0 does',
    algorithms: ['ES256', 'PS256'],
    require: ['pkce', 's256', 'par', 'private_key_jwt', 'dpop', 'mtls'],
    code_ttl: 60,
  },
  {
    name: 'workload',
    title: 'Signs tokens of workloads to order; nobody logs in',
    algorithms: ['ES256'],
    grants: ['client_credentials'],
    demo_users: false,
  },
  { name: HOSTILE, title: 'Wrong metadata and answers, which clients must refuse' },
]
