/** The texts of the modes, selected by trigger words in the last user message. */
import { digest, generator } from './seed.ts'
import {
  bareJson,
  cannedTable,
  links,
  loremWords,
  markdown,
  personalData,
  randomWords,
  refusal,
  secrets,
  standard,
  toxic,
} from './texts.ts'
import { words } from './tokens.ts'

/** Words as a text in which phrases are found. */
export class Phrases {
  readonly #text: string

  constructor(list: readonly string[]) {
    this.#text = `\n${list.join('\n')}\n`
  }

  /** Whether the words of a phrase follow one another. */
  includes(phrase: string): boolean {
    const wanted = words(phrase)
    return wanted.length > 0 && this.#text.includes(`\n${wanted.join('\n')}\n`)
  }
}

/** The words of all canned texts. */
const CANNED_WORDS = cannedTable.flatMap(row => row.words)

/** The reply of the mode `canned` to a user text. */
export function cannedText(userText: string): string {
  // Most texts have none of these words, and are not split.
  const text = userText.toLowerCase()
  if (!CANNED_WORDS.some(word => text.includes(word))) return standard
  const userWords = new Set(words(userText))
  return cannedTable.find(row => row.words.some(word => userWords.has(word)))?.text ?? standard
}

interface Script {
  triggers: readonly string[]
  text: (userWords: readonly string[], prompt: string, loremCap: number) => string
}

/** In order of precedence: the first script with a trigger in the text is used. */
const scripts: readonly Script[] = [
  { triggers: ['lorem'], text: (userWords, _prompt, cap) => lorem(userWords, cap) },
  { triggers: ['ssn', 'social security', 'credit card', 'pii', 'customer record'], text: () => personalData },
  { triggers: ['toxic', 'jailbreak', 'unsafe', 'harmful'], text: () => toxic },
  { triggers: ['secret', 'secrets', 'api key', 'password', 'credentials'], text: () => secrets },
  { triggers: ['refuse', 'refusal'], text: () => refusal },
  { triggers: ['json'], text: () => bareJson },
  { triggers: ['markdown', 'table'], text: () => markdown },
  { triggers: ['url', 'urls', 'link', 'links'], text: () => links },
  { triggers: ['echo'], text: (_userWords, prompt) => prompt },
]

/** The scripted reply to a user text; undefined if it contains no trigger. */
export function scriptedText(userText: string, prompt: string, loremCap: number): string | undefined {
  const userWords = words(userText)
  const phrases = new Phrases(userWords)
  return scripts
    .find(script => script.triggers.some(trigger => phrases.includes(trigger)))
    ?.text(userWords, prompt, loremCap)
}

const defaultLoremWords = 50

function lorem(userWords: readonly string[], cap: number): string {
  const requested = userWords[userWords.indexOf('lorem') + 1] ?? ''
  const size = /^\d+$/.test(requested)
    ? Math.min(Math.max(1, Number(requested)), cap)
    : Math.min(defaultLoremWords, cap)
  const text = Array.from({ length: size }, (_, i) => loremWords[i % loremWords.length]).join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** 20 to 60 words in sentences of 6 to 13 words, determined by model, prompt and choice. */
export function randomText(model: string, prompt: string, choice: number): string {
  const next = generator(digest('text', model, prompt, choice))
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  let left = between(20, 60)
  const sentences: string[] = []
  while (left > 0) {
    // A remainder too short for another sentence becomes part of this one, up to 13 words.
    const length = left <= 13 ? left : Math.min(between(6, 13), left - 6)
    const sentence = Array.from({ length }, () => randomWords[Math.floor(next() * randomWords.length)]).join(' ')
    sentences.push(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`)
    left -= length
  }
  return sentences.join(' ')
}
