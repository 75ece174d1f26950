/** The audio that a client sends: its duration, and the speech in it. The sound itself is not kept. */
import type { AudioFormat, Engine, SpeechDetector } from '../llm/types.ts'

const DEFAULT_RATE = 16_000
const RATES = { from: 8000, to: 48_000 }

export class InputAudio {
  readonly #engine: Engine
  #format: AudioFormat = { coding: 'pcm', rate: DEFAULT_RATE }
  #detector: SpeechDetector
  /** Duration of what is not yet part of a turn. */
  #openMs = 0

  constructor(engine: Engine) {
    this.#engine = engine
    this.#detector = new engine.audio.SpeechDetector(this.#format)
  }

  get openMs(): number {
    return Math.round(this.#openMs)
  }

  /** Adds audio; calls back where speech begins and ends in it. `silenceMs` null: nothing is detected. */
  append(
    bytes: Buffer,
    mimeType: string,
    silenceMs: number | null,
    changed: (kind: 'started' | 'stopped') => void,
  ): void {
    this.#use(rateOf(mimeType))
    const before = this.#detector.totalMs
    const changes = this.#detector.feed(bytes, silenceMs ?? Infinity)
    let reached = before
    for (const { kind, atMs } of silenceMs === null ? [] : changes) {
      // Silence before speech belongs to no turn.
      this.#openMs = kind === 'started' ? 0 : this.#openMs + atMs - reached
      reached = atMs
      changed(kind)
    }
    this.#openMs += this.#detector.totalMs - reached
    if (silenceMs !== null && !this.#detector.isSpeaking) this.#openMs = 0
  }

  /** Ends the turn; returns the duration of its audio. */
  take(): number {
    const ms = this.openMs
    this.#openMs = 0
    this.#detector.reset()
    return ms
  }

  #use(rate: number): void {
    if (rate === this.#format.rate) return
    this.#format = { coding: 'pcm', rate }
    this.#detector = new this.#engine.audio.SpeechDetector(this.#format)
  }
}

function rateOf(mimeType: string): number {
  const rate = Number(/;\s{0,10}rate=(\d{1,6})/.exec(mimeType.slice(0, 200))?.[1] ?? DEFAULT_RATE)
  return Math.min(Math.max(rate, RATES.from), RATES.to)
}
