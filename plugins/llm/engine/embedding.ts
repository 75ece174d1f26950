/** Embeddings by feature hashing: texts with the same words have similar vectors. */
import type { Pacer } from 'svc/plugin'
import { eachWord, words } from './tokens.ts'
import { stopWords } from './stop-words.ts'

const slots = 4
const stopWeight = 0.25
const trigramWeight = 0.3
/** Low enough that reordering the words of a text keeps the similarity above 0.95. */
const pairWeight = 0.2

/** A 64-bit number as two unsigned halves; BigInt is some twenty times slower here. */
interface Wide {
  high: number
  low: number
}

/** FNV-1a over the UTF-8 bytes of a text, 64 bits wide. */
function fnv1a(text: string): Wide {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (const byte of Buffer.from(text, 'utf8')) {
    low = (low ^ byte) >>> 0
    // Multiplies by the prime 0x100000001b3: low * 0x1b3, and a shift by 40, which affects only the upper half.
    const product = low * 0x1b3
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 4294967296) + (low << 8)) >>> 0
    low = product >>> 0
  }
  return { high, low }
}

function add(a: Wide, b: Wide): Wide {
  const low = a.low + b.low
  return { high: (a.high + b.high + (low > 0xffffffff ? 1 : 0)) >>> 0, low: low >>> 0 }
}

/** The low 64 bits of a product. */
function multiply(a: Wide, b: Wide): Wide {
  const a0 = a.low & 0xffff
  const a1 = a.low >>> 16
  const b0 = b.low & 0xffff
  const b1 = b.low >>> 16
  const middle = a1 * b0 + Math.floor((a0 * b0) / 65536)
  const cross = (middle % 65536) + a0 * b1
  const high = a1 * b1 + Math.floor(middle / 65536) + Math.floor(cross / 65536)
  return {
    high: (high + Math.imul(a.high, b.low) + Math.imul(a.low, b.high)) >>> 0,
    low: Math.imul(a.low, b.low) >>> 0,
  }
}

/** `x ^ (x >> bits)` for fewer than 32 bits. */
function xorShift(x: Wide, bits: number): Wide {
  return { high: (x.high ^ (x.high >>> bits)) >>> 0, low: (x.low ^ ((x.low >>> bits) | (x.high << (32 - bits)))) >>> 0 }
}

/** One step of splitmix64 from the state `x`. */
function splitmix64(x: Wide): Wide {
  let z = add(x, { high: 0x9e3779b9, low: 0x7f4a7c15 })
  z = multiply(xorShift(z, 30), { high: 0xbf58476d, low: 0x1ce4e5b9 })
  z = multiply(xorShift(z, 27), { high: 0x94d049bb, low: 0x133111eb })
  return xorShift(z, 31)
}

/** Characters of a text that is embedded at once. */
const SHORT_TEXT = 16_384
/** Characters of a word whose parts are features. */
const MAX_WORD = 1000
/** Features that are kept; a text with more computes the others each time. */
const MAX_FEATURES = 5000

interface WeightedWord {
  word: string
  weight: number
}

/** Computes vectors of one size. Caches hashed features, for one request. */
export class Embedder {
  readonly #dimensions: number
  /** Kept features by their texts, of which most repeat. */
  readonly #words = new Map<string, Int32Array>()
  readonly #trigrams = new Map<string, Int32Array>()
  readonly #pairs = new Map<string, Int32Array>()
  #kept = 0

  constructor(dimensions: number) {
    this.#dimensions = dimensions
  }

  /** The vector of a text, of length 1. */
  embed(text: string): number[] {
    const vector = new Float64Array(this.#dimensions)
    let before: WeightedWord | undefined
    for (const word of words(text)) before = this.#addWord(vector, word, before)
    return normalize(vector)
  }

  /** The same vector. Lets other requests run. */
  async embedLong(text: string, pacer: Pacer): Promise<number[]> {
    if (text.length <= SHORT_TEXT) return this.embed(text)
    const vector = new Float64Array(this.#dimensions)
    let before: WeightedWord | undefined
    for (const word of eachWord(text)) {
      before = this.#addWord(vector, word, before)
      if (pacer.isDue) await pacer.pause()
    }
    return normalize(vector)
  }

  #addWord(vector: Float64Array, word: string, before: WeightedWord | undefined): WeightedWord {
    const weight = stopWords.has(word) ? stopWeight : 1
    this.#add(vector, this.#words, 'w', word, weight)
    const framed = `^${word.slice(0, MAX_WORD)}$`
    for (let at = 0; at + 3 <= framed.length; at++)
      this.#add(vector, this.#trigrams, 't', framed.slice(at, at + 3), weight * trigramWeight)
    if (before !== undefined)
      this.#add(vector, this.#pairs, 'b', `${before.word} ${word}`, pairWeight * Math.min(before.weight, weight))
    return { word, weight }
  }

  /** Slots are stored as index * 2, plus 1 for a negative sign. */
  #add(vector: Float64Array, known: Map<string, Int32Array>, kind: string, text: string, weight: number): void {
    let places = known.get(text)
    if (places === undefined) {
      places = this.#places(`${kind}:${text}`)
      if (this.#kept++ < MAX_FEATURES) known.set(text, places)
    }
    for (let at = 0; at < slots; at++) {
      const place = places[at]!
      const index = place >> 1
      vector[index] = vector[index]! + ((place & 1) === 1 ? -weight : weight)
    }
  }

  #places(feature: string): Int32Array {
    const hash = fnv1a(feature)
    const size = this.#dimensions
    const places = new Int32Array(slots)
    for (let k = 0; k < slots; k++) {
      const random = splitmix64(add(hash, { high: 0, low: k }))
      const index = ((random.high % size) * (4294967296 % size) + random.low) % size
      places[k] = index * 2 + (random.high >>> 31)
    }
    return places
  }
}

/** Scales to length 1, with eight decimals; a zero vector becomes the first unit vector. */
function normalize(vector: Float64Array): number[] {
  let sum = 0
  for (const value of vector) sum += value * value
  if (sum === 0) return Array.from(vector, (_, i) => (i === 0 ? 1 : 0))
  const length = Math.sqrt(sum)
  // `Array.from` takes several times as long.
  const result: number[] = []
  for (const value of vector) result.push(Math.round((value / length) * 1e8) / 1e8)
  return result
}

/** Cosine of two vectors of length 1. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}
