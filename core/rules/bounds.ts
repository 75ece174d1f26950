/** Bounds of rules. */

export interface RuleBounds {
  /** Rules stored over HTTP for all sessions. */
  instanceRules: number
  /** Rules of one session, and of all sessions. */
  sessionRules: number
  allSessionRules: number
  ruleBytes: number
  steps: number
  tests: number
  /** How long the rules of a session are kept without use. */
  sessionIdleMs: number
  chunks: number
  chunkBytes: number
  /** Of a body of which only the size is given. */
  bodyBytes: number
  expiresInSecs: number
  maxDelayMs: number
  /** Requests that `notify` of a step sends, and those of all rules that wait. */
  notifications: number
  waitingNotifications: number
  /** Scenarios of one session, and sessions with scenarios. */
  scenarios: number
  scenarioSessions: number
}

/** The bounds of an instance. */
export function ruleBoundsOf({ publicMode, maxDelayMs }: { publicMode: boolean; maxDelayMs: number }): RuleBounds {
  const KIB = 1024
  const MINUTE_MS = 60_000
  return publicMode
    ? {
        instanceRules: 100,
        sessionRules: 20,
        allSessionRules: 1000,
        ruleBytes: 16 * KIB,
        steps: 20,
        tests: 20,
        sessionIdleMs: 10 * MINUTE_MS,
        chunks: 50,
        chunkBytes: 64 * KIB,
        bodyBytes: 64 * KIB,
        expiresInSecs: 3600,
        maxDelayMs,
        notifications: 2,
        waitingNotifications: 10,
        scenarios: 20,
        scenarioSessions: 200,
      }
    : {
        instanceRules: 500,
        sessionRules: 100,
        allSessionRules: 5000,
        ruleBytes: 64 * KIB,
        steps: 50,
        tests: 50,
        sessionIdleMs: 60 * MINUTE_MS,
        chunks: 200,
        chunkBytes: 256 * KIB,
        bodyBytes: 10 * 1024 * KIB,
        expiresInSecs: 86_400,
        maxDelayMs,
        notifications: 5,
        waitingNotifications: 100,
        scenarios: 100,
        scenarioSessions: 1000,
      }
}
