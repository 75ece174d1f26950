/** Nonces for DPoP proofs (RFC 9449, 8): signed, not stored. */
import { createHmac } from 'node:crypto'
import { type Svc } from 'svc/plugin'
import { isSameSecret } from 'svc/toolkit'

const LIFE_S = 300

/** Makes and checks nonces of an issuer. */
export interface DpopNonces {
  next(issuer: string): Promise<string>
  isCurrent(nonce: string, issuer: string): Promise<boolean>
}

/** Opens the nonces; all replicas accept those of each other. */
export function createDpopNonces(svc: Pick<Svc, 'secret'>): DpopNonces {
  const sign = async (expiry: string, issuer: string): Promise<string> =>
    createHmac('sha256', await svc.secret('dpop-nonces'))
      .update(`${expiry} ${issuer}`)
      .digest('base64url')
  return {
    async next(issuer) {
      const expiry = String(Math.floor(Date.now() / 1000) + LIFE_S)
      return `${expiry}.${await sign(expiry, issuer)}`
    },
    async isCurrent(nonce, issuer) {
      const [expiry = '', signature = ''] = nonce.slice(0, 200).split('.')
      return isSameSecret(signature, await sign(expiry, issuer)) && Number(expiry) > Date.now() / 1000
    },
  }
}
