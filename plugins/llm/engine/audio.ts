/** Sound of spoken replies, and the detection of speech in what a client sends. */

/** Signed 16-bit little-endian samples, or the two codings of G.711; one channel. */
export interface AudioFormat {
  coding: 'pcm' | 'mu-law' | 'a-law'
  /** Samples a second. */
  rate: number
}

const SECOND_MS = 1000
const TONE_HZ = 440
/** A whole number of periods of the tone. */
const LOOP_MS = 25
const AMPLITUDE = 8192
const MAX_SAMPLE = 32_768
/** Quieter samples are silence. */
const LOUD = 0.03 * MAX_SAMPLE

function sampleBytes({ coding }: AudioFormat): number {
  return coding === 'pcm' ? 2 : 1
}

/** Duration of a number of bytes, in milliseconds. */
export function durationMs(format: AudioFormat, bytes: number): number {
  return (bytes / sampleBytes(format) / format.rate) * SECOND_MS
}

/** Creates the sound of a reply: silence, or a tone of 440 Hz that goes on from piece to piece. */
export function createSound(format: AudioFormat, kind: 'silence' | 'tone'): (fromMs: number, ms: number) => Buffer {
  const bytesPerMs = (format.rate / SECOND_MS) * sampleBytes(format)
  if (kind === 'silence') {
    const fill = format.coding === 'pcm' ? 0 : format.coding === 'mu-law' ? 0xff : 0xd5
    return (_from, ms) => Buffer.alloc(ms * bytesPerMs, fill)
  }
  const loop = toneLoop(format)
  return (fromMs, ms) => {
    const start = (fromMs % LOOP_MS) * bytesPerMs
    const bytes = ms * bytesPerMs
    const loops = Math.ceil((start + bytes) / loop.length)
    return Buffer.concat(Array.from({ length: loops }, () => loop)).subarray(start, start + bytes)
  }
}

function toneLoop(format: AudioFormat): Buffer {
  const samples = Array.from({ length: (format.rate * LOOP_MS) / SECOND_MS }, (_, index) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * index) / format.rate)),
  )
  if (format.coding === 'pcm') {
    const loop = Buffer.alloc(samples.length * 2)
    samples.forEach((sample, index) => loop.writeInt16LE(sample, index * 2))
    return loop
  }
  const decoded = Array.from({ length: 256 }, (_, byte) => decode(format, byte))
  return Buffer.from(samples.map(sample => nearestTo(sample, decoded)))
}

function nearestTo(sample: number, decoded: readonly number[]): number {
  let best = 0
  decoded.forEach((value, byte) => {
    if (Math.abs(value - sample) < Math.abs(decoded[best]! - sample)) best = byte
  })
  return best
}

/** A sample of G.711. */
function decode({ coding }: AudioFormat, byte: number): number {
  const bits = coding === 'mu-law' ? ~byte & 0xff : byte ^ 0x55
  const mantissa = bits & 0x0f
  const segment = (bits & 0x70) >> 4
  if (coding === 'mu-law') {
    const size = (((mantissa << 3) + 0x84) << segment) - 0x84
    return (bits & 0x80) === 0 ? size : -size
  }
  const size = segment === 0 ? (mantissa << 4) + 8 : ((mantissa << 4) + 0x108) << (segment - 1)
  return (bits & 0x80) === 0 ? -size : size
}

/** Speech begins or ends at a time of the stream of audio. */
export interface SpeechChange {
  kind: 'started' | 'stopped'
  atMs: number
}

/** Finds speech in audio that arrives in pieces: it begins with a loud sample, and ends with silence of some time. */
export class SpeechDetector {
  readonly #format: AudioFormat
  #isSpeaking = false
  /** Silent samples since the last loud one, and all samples. */
  #silent = 0
  #samples = 0
  /** The first byte of a sample whose second one has not arrived. */
  #carry: number | null = null

  constructor(format: AudioFormat) {
    this.#format = format
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking
  }

  /** Duration of all audio so far. */
  get totalMs(): number {
    return this.#ms(this.#samples)
  }

  /** Forgets that speech has begun. */
  reset(): void {
    this.#isSpeaking = false
    this.#silent = 0
  }

  feed(chunk: Buffer, silenceMs: number): SpeechChange[] {
    const bytes = this.#carry === null ? chunk : Buffer.concat([Buffer.of(this.#carry), chunk])
    const isPcm = this.#format.coding === 'pcm'
    const count = isPcm ? bytes.length >> 1 : bytes.length
    this.#carry = isPcm && bytes.length % 2 === 1 ? bytes[bytes.length - 1]! : null
    const silence = Math.max(1, (silenceMs * this.#format.rate) / SECOND_MS)
    const changes: SpeechChange[] = []
    for (let index = 0; index < count; index++) {
      const isLoud = Math.abs(isPcm ? bytes.readInt16LE(index * 2) : decode(this.#format, bytes[index]!)) > LOUD
      this.#samples += 1
      if (isLoud) {
        this.#silent = 0
        if (this.#isSpeaking) continue
        this.#isSpeaking = true
        changes.push({ kind: 'started', atMs: this.#ms(this.#samples - 1) })
      } else if (this.#isSpeaking && ++this.#silent >= silence) {
        this.reset()
        changes.push({ kind: 'stopped', atMs: this.#ms(this.#samples) })
      }
    }
    return changes
  }

  #ms(samples: number): number {
    return Math.round((samples / this.#format.rate) * SECOND_MS)
  }
}
