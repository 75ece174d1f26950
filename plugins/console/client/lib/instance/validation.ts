/** What vendors refuse: the rules of `GET /ai/validation`, and the violations in records of the mock LLM. */

export type Confidence = 'documented' | 'reported' | 'assumed'

/** A violation in `GET /ai/requests/{id}`. */
export interface Violation {
  rule: string
  at: string
  message: string
  confidence: Confidence
  refused: boolean
}

/** A rule, as `GET /ai/validation/{rule}` shows it. */
export interface VendorRule {
  rule: string
  flavours: readonly string[]
  condition: string
  confidence: Confidence
  sources: readonly { title: string; url?: string }[]
}

/** What a request sends to be refused as by the vendor. */
export const ENFORCE = 'X-Svc-Validation: enforce'

/** What a violation means. */
export function meaningOf({ refused, confidence, message }: Violation): string {
  const vendor = refused
    ? 'Refused as by the real vendor'
    : confidence === 'assumed'
      ? 'A real vendor may refuse this'
      : 'A real vendor would have refused this'
  return `${vendor}: ${message}`
}
