/** Verifies signed messages in a fixed order: secret, tolerance, headers, timestamp, signature and age. */
import type { IncomingHttpHeaders } from 'node:http'
import { isSameSecret, parseInteger } from 'svc/toolkit'
import { failures, type Failure } from './errors.ts'
import { DEFAULT_TOLERANCE_SECS, isTimestamp, unixNow } from './schemes.ts'
import { signatureOf, type Presented, type Scheme } from './schemes/scheme.ts'

export interface SignedMessage {
  scheme: Scheme
  headers: IncomingHttpHeaders
  /** As received; the signature covers these bytes. */
  body: Buffer
  /** Empty if absent. */
  secret: string
  /** Requested tolerance in seconds; null for the default. */
  tolerance: string | null
  ignoreTimestamp: boolean
}

export interface Report {
  valid: boolean
  scheme: string | null
  webhook_id: string | null
  /** Unix seconds. */
  timestamp: number | null
  now: number
  age_seconds: number | null
  /** Null if the age is ignored. */
  tolerance_seconds: number | null
  /** Null if not checked. */
  signature_valid: boolean | null
  /** Null if not checked, ignored, or not part of the scheme. */
  timestamp_valid: boolean | null
  received_signatures: string[]
  /** In the format of the header; null if it cannot be computed. */
  expected_signature: string | null
}

const MAX_TOLERANCE_SECS = 2_592_000

/** The report, and the first failure in the fixed order; the age precedes the signature. */
export function verify(message: SignedMessage): { report: Report; failure: Failure | null } {
  const { scheme, secret } = message
  const presented = scheme.read(message.headers)
  const report = begin(scheme, presented)
  const refuse = (failure: Failure) => ({ report, failure })

  if (secret.trim() === '') return refuse(failures.missingSecret())
  const key = scheme.keyOf(secret)
  if (key === null) return refuse(failures.invalidSecret())
  report.expected_signature = expectedSignature(message, key, presented)

  const tolerance = message.tolerance === null ? DEFAULT_TOLERANCE_SECS : parseInteger(message.tolerance)
  if (tolerance === null || tolerance > MAX_TOLERANCE_SECS)
    return refuse(failures.invalidTolerance(message.tolerance!, MAX_TOLERANCE_SECS))
  if (scheme.hasTimestamp && !message.ignoreTimestamp) report.tolerance_seconds = tolerance

  if (presented.missing.length > 0) return refuse(failures.missingHeaders(presented.missing))
  if (scheme.hasTimestamp && report.timestamp === null) return refuse(failures.invalidTimestamp(presented.timestamp))

  const signatureFailure = checkSignature(message, presented, report)
  const ageFailure = checkAge(report)
  report.valid = signatureFailure === null && ageFailure === null
  return { report, failure: ageFailure ?? signatureFailure }
}

function begin(scheme: Scheme, { id, timestamp, signatures }: Presented): Report {
  const now = unixNow()
  const seconds = timestamp !== null && isTimestamp(timestamp) ? Number(timestamp) : null
  return {
    valid: false,
    scheme: scheme.name,
    webhook_id: id,
    timestamp: seconds,
    now,
    age_seconds: seconds === null ? null : now - seconds,
    tolerance_seconds: null,
    signature_valid: null,
    timestamp_valid: null,
    received_signatures: signatures,
    expected_signature: null,
  }
}

/** Computed whenever the required parts are present, even if verification fails, to help debug senders. */
function expectedSignature(
  { scheme, headers, body }: SignedMessage,
  key: Buffer,
  { id, timestamp }: Presented,
): string | null {
  if (scheme.hasTimestamp && (timestamp === null || !isTimestamp(timestamp))) return null
  if (scheme.headers.includes('webhook-id') && !headers['webhook-id']) return null
  return signatureOf(scheme, key, { id: id ?? '', timestamp: timestamp ?? '' }, body)
}

function checkSignature({ scheme }: SignedMessage, { supported }: Presented, report: Report): Failure | null {
  const expected = scheme.comparable(report.expected_signature!)
  report.signature_valid = supported.some(entry => entry.length === expected.length && isSameSecret(entry, expected))
  if (supported.length === 0) return failures.noSupportedSignature(scheme.signature)
  return report.signature_valid ? null : failures.mismatch()
}

/** An age equal to the tolerance is accepted, past or future. */
function checkAge(report: Report): Failure | null {
  const { age_seconds: age, tolerance_seconds: tolerance } = report
  if (age === null || tolerance === null) return null
  report.timestamp_valid = Math.abs(age) <= tolerance
  if (report.timestamp_valid) return null
  return age > 0 ? failures.tooOld(age, tolerance) : failures.tooNew(age, tolerance)
}
