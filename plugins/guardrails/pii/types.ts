/** The types of personal data, in order of precedence for overlapping matches. */
import { findCreditCards } from './credit-card.ts'
import { findEmails } from './email.ts'
import { findIpAddresses } from './ip-address.ts'
import { findPhones } from './phone.ts'
import type { Span } from './span.ts'
import { findSsns } from './ssn.ts'

export const PII_FINDERS: readonly { type: string; find(text: string): Span[] }[] = [
  { type: 'EMAIL', find: findEmails },
  { type: 'CREDIT_CARD', find: findCreditCards },
  { type: 'SSN', find: findSsns },
  { type: 'IP_ADDRESS', find: findIpAddresses },
  { type: 'PHONE', find: findPhones },
]
