/** The risk score of a payment: a hash, so that it is the same on every instance. */

export interface ScoredPayment {
  correlationId: string
  merchantId?: string | undefined
  amount?: number | undefined
  /** The card number or its first digits. */
  card?: string | undefined
}

/** Scores from this value are rejected. */
export const RISK_THRESHOLD = 70
const FNV_OFFSET = 0xcbf29ce484222325n
const FNV_PRIME = 0x100000001b3n
const MASK_64 = 0xffffffffffffffffn

/** 0 to 99: 64-bit FNV-1a over the parts, each followed by the unit separator, modulo 100. */
export function riskScore({ correlationId, merchantId, amount, card }: ScoredPayment): number {
  const parts = [correlationId, merchantId ?? '', amount === undefined ? '' : amount.toFixed(2), firstSixDigits(card)]
  return Number(fnv1a(Buffer.from(parts.map(part => `${part}\x1f`).join(''))) % 100n)
}

/** FNV-1a, 64 bits. */
function fnv1a(bytes: Buffer): bigint {
  let hash = FNV_OFFSET
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * FNV_PRIME) & MASK_64
  return hash
}

/** The issuer number: the first six digits of a card number, or fewer if it is shorter, without separators. */
function firstSixDigits(card: string | undefined): string {
  return card?.replace(/\D/g, '').slice(0, 6) ?? ''
}

export function riskLevel(score: number): 'low' | 'medium' | 'high' {
  if (score < 30) return 'low'
  return score < RISK_THRESHOLD ? 'medium' : 'high'
}

/** The card type, by the first digit of the card number. */
export function cardType(card: string | undefined): 'visa_credit' | 'mastercard_credit' | 'amex' {
  const digit = firstSixDigits(card)[0]
  if (digit === '2' || digit === '5') return 'mastercard_credit'
  return digit === '3' ? 'amex' : 'visa_credit'
}
