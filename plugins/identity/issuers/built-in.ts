/** The issuers that every instance has. */
import { HOSTILE } from './hostile.ts'
import type { KeyPairAlgorithm } from '../keys/algorithms.ts'

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
  },
  { name: 'idp', title: 'Sign-on of an enterprise', algorithms: ['ES256'] },
  { name: HOSTILE, title: 'Wrong metadata and answers, which clients must refuse', algorithms: ['ES256'] },
]
