/** Request headers whose values are not valid: they are ignored, and the response says so (`X-Svc-Ignored`). */
import { isTruthy } from 'svc/toolkit'
import { modeOfHeader } from '../engine/model-mode.ts'
import { header } from '../headers/credentials.ts'
import { readLoadHeader } from '../capacity/load-header.ts'
import type { ModelCall } from '../call/model-call.ts'

interface Check {
  name: string
  isValid(text: string): boolean
  expected: string
}

const isBoolean = (text: string): boolean => isTruthy(text) || /^(?:0|false|no|off)$/i.test(text)
const isWhole = (text: string): boolean => /^\d{1,9}$/.test(text)
const milliseconds = 'expected a whole number of milliseconds'

/** Headers whose readers use a default instead. By their lower-case names. */
const CHECKS: Readonly<Record<string, Check>> = {
  'x-svc-mode': {
    name: 'X-Svc-Mode',
    isValid: text => modeOfHeader(text) !== undefined,
    expected: 'expected canned, echo, scripted or random',
  },
  'x-svc-latency-ms': { name: 'X-Svc-Latency-Ms', isValid: isWhole, expected: milliseconds },
  'x-svc-ttft-ms': { name: 'X-Svc-TTFT-Ms', isValid: isWhole, expected: milliseconds },
  'x-svc-tokens-per-second': { name: 'X-Svc-Tokens-Per-Second', isValid: isWhole, expected: 'expected a whole number' },
  'x-svc-jitter': { name: 'X-Svc-Jitter', isValid: isWhole, expected: 'expected a whole number of percent' },
  'x-svc-require-auth': { name: 'X-Svc-Require-Auth', isValid: isBoolean, expected: 'expected true or false' },
}
const NAMES = Object.keys(CHECKS)

/** Reports invalid values. */
export function reportIgnoredHeaders({ svc, request, headers, instance }: ModelCall): boolean {
  for (const key of NAMES) {
    const text = header(headers, key)?.trim()
    if (text === undefined) continue
    const { name, isValid, expected } = CHECKS[key]!
    if (!isValid(text)) svc.http.ignoreHeader(request, name, expected)
  }
  const { ignored } = readLoadHeader(headers, instance.slots)
  if (ignored !== null) svc.http.ignoreHeader(request, 'X-Svc-Load', ignored)
  return true
}
