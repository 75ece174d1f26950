/** The input audio buffer of a socket: its duration, and the speech in it. The sound itself is not kept. */
import type { AudioFormat, Engine, SpeechChange, SpeechDetector } from '../llm/types.ts'

/** Shorter buffers cannot be committed. */
const MIN_MS = 100

export class InputAudio {
  readonly #engine: Engine
  #format: AudioFormat
  #detector: SpeechDetector
  /** Duration of the audio before the detector began, and of what was committed or cleared. */
  #earlierMs = 0
  #takenMs = 0

  constructor(engine: Engine, format: AudioFormat) {
    this.#engine = engine
    this.#format = format
    this.#detector = new engine.audio.SpeechDetector(format)
  }

  /** Audio that arrives from now on has this format. */
  use(format: AudioFormat): void {
    if (format.coding === this.#format.coding && format.rate === this.#format.rate) return
    this.#earlierMs = this.totalMs
    this.#format = format
    this.#detector = new this.#engine.audio.SpeechDetector(format)
  }

  /** Duration of all audio of the socket. */
  get totalMs(): number {
    return this.#earlierMs + this.#detector.totalMs
  }

  /** Duration of the audio in the buffer. */
  get bufferedMs(): number {
    return Math.round(this.totalMs - this.#takenMs)
  }

  get isTooShort(): boolean {
    return this.bufferedMs < MIN_MS
  }

  /** Adds audio; returns where speech begins and ends in it. */
  append(bytes: Buffer, silenceMs: number): SpeechChange[] {
    const earlier = this.#earlierMs
    return this.#detector.feed(bytes, silenceMs).map(({ kind, atMs }) => ({ kind, atMs: atMs + earlier }))
  }

  /** Empties the buffer up to a time of the stream, by default completely; returns the duration of what was in it. */
  take(untilMs = this.totalMs): number {
    const ms = Math.max(0, Math.round(untilMs - this.#takenMs))
    this.#takenMs = untilMs
    return ms
  }

  /** Drops what was in the buffer before a time of the stream. */
  dropBefore(atMs: number): void {
    this.#takenMs = Math.max(this.#takenMs, atMs)
  }

  clear(): void {
    this.take()
    this.#detector.reset()
  }
}
