/** Access tokens that the gateway verifies: what must not pass, and new keys. */
import { defineCheck, fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import type { ConnectionSpec } from '../../client/exchange.ts'

/** Presets of tokens of the upstream's issuer. */
const BAD = ['expired', 'none', 'wrong-audience', 'wrong-issuer', 'unknown-kid', 'hs-confusion'] as const
const CHANGED = 'changed payload'
/** Between the attempts with a token of the new key; a minute together. */
const ATTEMPTS_MS = [0, 1_000, 1_000, 2_000, 3_000, 3_000, 5_000, 5_000, 10_000, 10_000, 10_000, 10_000]

const withToken = (label: string, token: string | undefined, delayMs = 0): ConnectionSpec => ({
  route: 'jwt',
  delayMs,
  requests: [{ label, fields: [['Authorization', `Bearer ${token ?? 'none'}`]] }],
})

/** The token of somebody else under the same signature. */
function changedPayload(token: string | undefined): string {
  const [head = '', payload = '', signature = ''] = (token ?? '').split('.')
  const claims = Buffer.from(payload, 'base64url').toString().replace(/}$/, ',"sub":"admin"}')
  return [head, Buffer.from(claims).toString('base64url'), signature].join('.')
}

export const JWT_CHECKS: Check[] = [
  defineCheck({
    id: 'JWT-BAD',
    title: 'Tokens that must not pass',
    group: 'trust',
    since: '2026.1',
    level: 'hazard',
    sources: [],
    when: { judgesRefusal: true, routes: ['jwt'], tokens: ['valid', ...BAD] },
    page: {
      sent: 'A valid access token, and ones that are expired, unsigned, for another audience, of another issuer, of an unknown key, signed with the public key as secret, or changed.',
      expected: 'Only the valid one arrives.',
      why: 'Each that passes lets somebody in.',
    },
    plan: ({ tokens }) => ({
      connections: [
        withToken('valid', tokens.valid),
        ...BAD.map(preset => withToken(preset, tokens[preset])),
        withToken(CHANGED, changedPayload(tokens.valid)),
      ],
    }),
    judge(evidence, { hasCredentials }) {
      if (hasCredentials) return skip('requests have credentials of their own')
      const valid = evidence.call('valid')
      if (valid.count === 0) return skip(`the valid token is not forwarded: ${valid.status ?? 'closed'}`)
      const passed = evidence.calls.filter(call => call !== valid && call.count > 0).map(({ label }) => label)
      return passed.length === 0 ? pass() : fail(`forwarded: ${passed.join(', ')}`, { forwarded: passed })
    },
  }),
  defineCheck({
    id: 'JWT-ROTATE',
    title: 'New keys of the issuer',
    group: 'trust',
    since: '2026.1',
    level: 'timing',
    sources: [],
    when: { judgesRefusal: true, alone: true, routes: ['jwt'], tokens: ['valid'], rotatesKeys: true },
    page: {
      sent: 'A token of the old key, which stays published, then the issuer signs with a new key: tokens of it for up to a minute.',
      expected: 'They are accepted; how long that takes is reported.',
      why: 'Until a gateway has read the new key, it refuses everybody who logs in.',
    },
    plan: ({ tokens }) => ({
      inOrder: true,
      connections: [
        withToken('before', tokens.before ?? tokens.valid),
        ...ATTEMPTS_MS.map((ms, index) => withToken(`after ${index}`, tokens.valid, ms)),
      ],
      isEnough: ({ calls: [call] }) => call?.spec.label !== 'before' && (call?.response?.status ?? 500) < 400,
    }),
    judge(evidence, { hasCredentials }) {
      if (hasCredentials) return skip('requests have credentials of their own')
      const before = evidence.call('before')
      if (before.count === 0) return skip(`the valid token is not forwarded: ${before.status ?? 'closed'}`)
      const accepted = evidence.calls.find(call => call !== before && call.count > 0)
      if (accepted === undefined) return warn('a token of the new key is not accepted within 60 s')
      const seconds = Math.round((accepted.record.sentAtMs - before.record.sentAtMs) / 1000)
      return note(`accepted after ${seconds} s`, { seconds })
    },
  }),
]
