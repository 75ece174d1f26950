/** The data that step 2 adds to a payment. */
import type { Payment } from './payment.ts'
import { cardType, RISK_THRESHOLD, riskLevel } from './risk-score.ts'

/** Derived only from the score and the card, so that a repeated call gets the same result. */
export function enrich({ amount = 0, card }: Payment, score: number) {
  const transactions = 1 + (score % 10)
  return {
    risk_score: score,
    risk_level: riskLevel(score),
    risk_threshold: RISK_THRESHOLD,
    card_type: cardType(card),
    issuing_bank: 'Demo Bank',
    issuing_country: 'GB',
    customer_tier: 'premium',
    velocity_check: {
      transactions_24h: transactions,
      amount_24h: Math.round(Math.min(amount * transactions, Number.MAX_VALUE / 100) * 100) / 100,
      flagged: score >= RISK_THRESHOLD,
    },
  }
}
