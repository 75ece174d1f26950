/** Guardrails of gateways of models that are wrong somewhere. */
import type { Guard } from './guard.ts'

/** The value, and where the service is, are those of the test. */
export type GuardOfTest = Omit<Guard, 'value' | 'service'> & {
  value?: string
  service?: Pick<NonNullable<Guard['service']>, 'failsOpen'>
}

export interface WrongGuard {
  guard: GuardOfTest
  /** The only check that finds it. */
  id: string
  finding: RegExp
}

/** By what is wrong: "a guardrail that …". */
export const WRONG_GUARDS: Readonly<Record<string, WrongGuard>> = {
  'looks at each delta alone': {
    guard: { readsDeltas: ['chat', 'messages'] },
    id: 'GRD-SPLIT',
    finding: /^fail the value reaches the client: chat in deltas of 1, .*messages in deltas of 4$/,
  },
  'looks at each delta of one wire alone': {
    guard: { readsDeltas: ['messages'] },
    id: 'GRD-SPLIT',
    finding: /^fail the value reaches the client: messages in deltas of 1, /,
  },
  'does not read arguments': {
    guard: { ignoresArguments: true },
    id: 'GRD-TOOL',
    finding: /^warn arguments of a call \(plain\) reach the client; arguments of a call \(stream\) reach the client$/,
  },
  'does not read results': {
    guard: { ignoresResults: true },
    id: 'GRD-TOOL',
    finding: /^warn a result reaches the upstream$/,
  },
  'guards one wire only': {
    guard: { openWires: ['messages'] },
    id: 'GRD-ROUTES',
    finding: /^fail a prompt arrives on messages, and not on chat; a system text arrives on messages/,
  },
  'reads system texts of one wire only': {
    guard: { openSystem: ['messages'] },
    id: 'GRD-ROUTES',
    finding: /^fail a system text arrives on messages, and not on chat$/,
  },
  'fails open': {
    guard: { service: { failsOpen: true } },
    id: 'GRD-FAILOPEN',
    finding: /^warn fails open: the service answers 503; the service does not answer$/,
  },
  'fails open when its service is silent': {
    guard: { service: { failsOpen: 'when silent' } },
    id: 'GRD-FAILOPEN',
    finding: /^warn fails open: the service does not answer$/,
  },
}
