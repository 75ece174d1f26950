/** Parses the payment in the body of a step. */
import { readJsonObject } from 'svc/plugin'
import { badRequest, invalidJson } from './errors.ts'

export interface Payment {
  merchantId: string | undefined
  amount: number | undefined
  currency: string | undefined
  /** `card_bin`, else `card_number`. */
  card: string | undefined
  /** 0 to 100, from step 2. */
  riskScore: number | undefined
  permissions: string[] | undefined
}

const MAX_TEXT = 128
const MAX_PERMISSIONS = 100

/** Reads a body; throws `invalid_json`, or `bad_request` when a member has the wrong type or range. */
export function readPayment(body: Buffer): Payment {
  const members = readJsonObject(body)
  if (members === null) throw invalidJson()
  const cardBin = textMember(members, 'card_bin')
  const cardNumber = textMember(members, 'card_number')
  return {
    merchantId: textMember(members, 'merchant_id'),
    amount: numberMember(members, 'amount'),
    currency: textMember(members, 'currency'),
    card: cardBin ?? cardNumber,
    riskScore: numberMember(members, 'risk_score', 100),
    permissions: permissionsMember(members),
  }
}

function textMember(members: Record<string, unknown>, name: string): string | undefined {
  const value = members[name]
  if (value === undefined || typeof value === 'string') return value
  throw badRequest(`invalid ${name} (expected a string)`)
}

/** Whether the value is a text of 1 to 128 characters, the limit for keys and ids. */
export function isText(value: string): boolean {
  return value !== '' && value.length <= MAX_TEXT
}

function numberMember(members: Record<string, unknown>, name: string, max = Number.MAX_VALUE): number | undefined {
  const value = members[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= 0 && value <= max) return value
  throw badRequest(
    `invalid ${name} (expected a number ${max === Number.MAX_VALUE ? 'of 0 or more' : `from 0 to ${max}`})`,
  )
}

function permissionsMember({ permissions }: Record<string, unknown>): string[] | undefined {
  if (permissions === undefined) return undefined
  if (
    Array.isArray(permissions) &&
    permissions.length <= MAX_PERMISSIONS &&
    permissions.every(entry => typeof entry === 'string')
  )
    return permissions
  throw badRequest(`invalid permissions (expected up to ${MAX_PERMISSIONS} strings)`)
}
