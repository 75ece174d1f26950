/** Wrong proxies that verify tokens or certificates, each with one fault, and the checks that catch it. */
import type { VerifierFault } from './verifying-proxy.ts'

export interface WrongVerifier {
  name: string
  fault: VerifierFault
  checks: string[]
  caught: Record<string, string>
}

const IDS = ['TLS-UPSTREAM', 'TLS-SNI', 'JWT-BAD', 'JWT-ROTATE']
const TOKENS = ['JWT-BAD']

export const WRONG_VERIFIERS: readonly WrongVerifier[] = [
  { name: 'verifies everything', fault: {}, checks: IDS, caught: {} },
  {
    name: 'accepts any certificate',
    fault: { acceptsCertificates: true },
    caught: { 'TLS-UPSTREAM': 'warn' },
    checks: ['TLS-UPSTREAM', 'TLS-SNI', 'JWT-BAD'],
  },
  { name: 'accepts expired tokens', fault: { ignores: ['expiry'] }, checks: TOKENS, caught: { 'JWT-BAD': 'fail' } },
  {
    name: 'accepts tokens for others',
    fault: { ignores: ['audience'] },
    checks: TOKENS,
    caught: { 'JWT-BAD': 'fail' },
  },
  { name: 'accepts tokens of others', fault: { ignores: ['issuer'] }, checks: TOKENS, caught: { 'JWT-BAD': 'fail' } },
  { name: 'accepts unsigned tokens', fault: { ignores: ['algorithm'] }, checks: TOKENS, caught: { 'JWT-BAD': 'fail' } },
  {
    name: 'does not verify signatures',
    fault: { ignores: ['signature'] },
    checks: TOKENS,
    caught: { 'JWT-BAD': 'fail' },
  },
  { name: 'accepts unknown keys', fault: { ignores: ['key'] }, checks: TOKENS, caught: { 'JWT-BAD': 'fail' } },
  {
    name: 'takes the public key for a secret',
    fault: { confusesKeys: true },
    checks: TOKENS,
    caught: { 'JWT-BAD': 'fail' },
  },
]
