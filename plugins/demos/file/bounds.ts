/** What a demo may contain and do: ordinary values, and those of public mode (docs/demos.md, "Bounds"). */

/** Of a file, and of all demos together. */
export const MAX_DEMOS = 300
export const MAX_STEPS = 30
export const MAX_FILE_BYTES = 64 * 1024
export const MAX_CAPTURED = 64 * 1024

export interface RunBounds {
  /** Of one step. */
  requests: number
  stepMs: number
  perSecond: number
  concurrency: number
  runMs: number
  /** Of the answers of one step that are held at the same time. */
  answerBytes: number
  /** At once, and kept. */
  runs: number
  kept: number
}

export const BOUNDS: RunBounds = {
  requests: 10_000,
  stepMs: 120_000,
  perSecond: 500,
  concurrency: 100,
  runMs: 15 * 60_000,
  answerBytes: 32 * 1024 * 1024,
  runs: 4,
  kept: 20,
}

export const PUBLIC_BOUNDS: RunBounds = {
  requests: 200,
  stepMs: 30_000,
  perSecond: 20,
  concurrency: 5,
  runMs: 3 * 60_000,
  answerBytes: 4 * 1024 * 1024,
  runs: 1,
  kept: 5,
}
