/** Device codes and user codes (RFC 8628, 3.2 and 6.1). */
import { randomBytes, randomInt } from 'node:crypto'
import type { Store } from 'svc/plugin'
import type { Approved, DeviceCode } from '../stores/records.ts'

/** Lifetime of a device code in seconds. */
export const DEVICE_CODE_LIFE_S = 600
/** Seconds between two polls. */
export const POLL_INTERVAL_S = 1

/** Consonants only, so that no words appear, and none that look like digits. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LETTER_COUNT = 8
const MAX_ATTEMPTS = 5

/** What happens without a browser. */
export const OUTCOMES = ['approve', 'deny', 'expire'] as const
/** What happens without a browser. */
export type Outcome = (typeof OUTCOMES)[number]

/** The state of a code at a time. */
export type DeviceState = 'pending' | 'expired' | 'denied' | Approved

/** The state that follows from the record and the clock. */
export function deviceState({ expiresAt, decision, planned }: DeviceCode, now: number): DeviceState {
  if (now >= expiresAt) return 'expired'
  if (decision !== null) return decision
  if (planned === undefined || now < planned.at) return 'pending'
  if (planned.outcome === 'approve') return { login: planned.login }
  return planned.outcome === 'deny' ? 'denied' : 'expired'
}

/** Stores a new code and returns its two texts. Expired codes are kept for as long again, to be reported as expired. */
export async function createDeviceCode(
  facts: Pick<DeviceCode, 'clientId' | 'scope' | 'resources' | 'planned'>,
  store: Store<DeviceCode>,
): Promise<{ deviceCode: string; userCode: string }> {
  const record: DeviceCode = {
    ...facts,
    secret: randomBytes(32).toString('base64url'),
    expiresAt: Date.now() + DEVICE_CODE_LIFE_S * 1000,
    intervalS: POLL_INTERVAL_S,
    polledAt: null,
    isTooFast: false,
    decision: null,
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const letters = Array.from({ length: LETTER_COUNT }, () => LETTERS[randomInt(LETTERS.length)]!).join('')
    const isNew = await store.add(letters, record, { ttlMs: 2 * DEVICE_CODE_LIFE_S * 1000 })
    if (isNew) return { deviceCode: `${letters}.${record.secret}`, userCode: shownUserCode(letters) }
  }
  throw new Error('no user code is free')
}

/** The two parts of a device code. Any text has parts, but few are known. */
export function splitDeviceCode(code: string): { userCode: string; secret: string } {
  return { userCode: code.slice(0, LETTER_COUNT), secret: code.slice(LETTER_COUNT + 1) }
}

/** The code in the form in which users read it: `BCDF-GHJK`. */
export function shownUserCode(letters: string): string {
  return `${letters.slice(0, LETTER_COUNT / 2)}-${letters.slice(LETTER_COUNT / 2)}`
}

/** The stored form of a code that a user entered, in any case and with any hyphens and spaces. */
export function readUserCode(entered: string): string {
  return entered.slice(0, 100).replace(/[\s-]/g, '').toUpperCase()
}

/** Records the user's decision. Returns false if the code is unknown, expired, or was decided before. */
export async function decide(
  userCode: string,
  decision: NonNullable<DeviceCode['decision']>,
  store: Store<DeviceCode>,
): Promise<boolean> {
  const before = await store.peek(userCode)
  if (before === undefined || deviceState(before, Date.now()) !== 'pending') return false
  await store.update(userCode, current => (current?.decision === null ? { ...current, decision } : current))
  return true
}
