/** `POST /_svc/verify` about records of a plugin: counts them, and waits for them. */
import { HttpError } from '../contract/plugin.ts'
import type { RecordQuery, VerifiedRecords } from '../contract/testing.ts'
import { readRecordVerification, type RecordVerification } from '../inspector/verification-input.ts'
import { readOrProblems, showProblems } from '../toolkit/all-problems.ts'
import { sleep } from '../toolkit/sleep.ts'

/** Ids that are shown. */
const MAX_IDS = 100

/** Which kind of records a body is about; undefined: requests. */
export function recordsIn(body: unknown, kinds: readonly VerifiedRecords[]): VerifiedRecords | undefined {
  return kinds.find(({ name }) => typeof body === 'object' && body !== null && Object.hasOwn(body, name))
}

export interface RecordVerificationOptions {
  session: string | undefined
  maxWithinMs: number
}

/** Throws 400. */
export function readRecords(
  body: unknown,
  kind: VerifiedRecords,
  { session, maxWithinMs }: RecordVerificationOptions,
): RecordVerification {
  const read = readOrProblems(body, '', given => readRecordVerification(given, session, { kind, maxWithinMs }))
  if ('problems' in read) throw new HttpError(400, { error: 'invalid_verification', ...showProblems(read.problems) })
  return read.value
}

export interface RecordResult {
  isVerified: boolean
  answer: object
}

/** Waits until the records have come, or more than may come. */
export async function verifyRecords(verification: RecordVerification, signal: AbortSignal): Promise<RecordResult> {
  const { query, session, since, withinMs } = verification
  const startedAt = performance.now()
  let lastAt = -Infinity
  let wake = (): void => {}
  const stop =
    withinMs === 0
      ? () => {}
      : query.onRecord(session, () => {
          lastAt = performance.now()
          wake()
        })
  try {
    for (;;) {
      const seenAt = lastAt
      const ids = await query.find(session, since)
      const waitedMs = performance.now() - startedAt
      const restMs = Math.min(remainingMs(verification, ids.length, lastAt), withinMs - waitedMs)
      if (restMs <= 0 || signal.aborted) return resultOf(verification, ids, Math.round(waitedMs))
      if (seenAt === lastAt) await sleep(restMs, { signal, onWake: awake => (wake = awake) })
    }
  } finally {
    stop()
  }
}

/** As for requests: an exact number must have been the last for some time; other upper bounds hold at the end only. */
function remainingMs({ expectation, settleMs }: RecordVerification, count: number, lastAt: number): number {
  const { min, max } = expectation
  if (max !== null && count > max) return 0
  if (min === null || count < min) return Infinity
  if (max === null) return 0
  if (min !== max || min === 0) return Infinity
  return Math.max(0, lastAt + settleMs - performance.now())
}

function resultOf(
  { expectation, query, idsAs }: RecordVerification,
  ids: readonly string[],
  waitedMs: number,
): RecordResult {
  const { min, max, text } = expectation
  const count = ids.length
  const isVerified = (max === null || count <= max) && count >= (min ?? 0)
  const shown = { count, expected: text, [idsAs]: ids.slice(0, MAX_IDS), waited_ms: waitedMs }
  if (isVerified) return { isVerified, answer: { verified: true, ...shown } }
  const { message = '', members = {} } = query.explain?.({ isTooMany: max !== null && count > max }) ?? {}
  return {
    isVerified,
    answer: {
      verified: false,
      error: 'verification_failed',
      ...shown,
      message: `expected ${text} ${textOf(query)}, got ${count}${message}`,
      ...members,
    },
  }
}

function textOf({ text }: RecordQuery): string {
  return text.slice(0, 200)
}
