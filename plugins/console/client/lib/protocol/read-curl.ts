/** Reads a curl command as it is copied from documentation or from a browser. */
import type { NameValue } from './http.ts'

export interface ReadRequest {
  method: string
  /** Absolute. */
  url: string
  headers: NameValue[]
  body: string
}

/** Options with a value that does not change the request. */
const IGNORED_WITH_VALUE =
  /^(?:-o|-w|-m|-x|-c|-b|-e|-T|--output|--write-out|--max-time|--connect-timeout|--retry|--proxy|--cacert|--cert|--key|--resolve|--cookie-jar)$/
const WITH_VALUE = new Set('XHdAuFeb'.split('').map(letter => `-${letter}`))

/** The request of a command, or a sentence about what is wrong with it. */
export function readCurl(command: string): ReadRequest | string {
  const words = splitWords(command)
  if (typeof words === 'string') return words
  if (words[0] !== 'curl') return 'The command has to start with "curl".'
  const read: ReadRequest = { method: '', url: '', headers: [], body: '' }
  const data: string[] = []
  let isGet = false
  for (let index = 1; index < words.length; index++) {
    const [option, attached] = splitOption(words[index]!)
    const value = (): string => attached ?? words[++index] ?? ''
    const header = (name: string, text: string) => read.headers.push({ name, value: text })
    if (!option.startsWith('-')) read.url = option
    else if (option === '--url') read.url = value()
    else if (option === '-X' || option === '--request') read.method = value().toUpperCase()
    else if (option === '-H' || option === '--header') addHeader(read.headers, value())
    else if (/^(?:-d|--data|--data-raw|--data-binary|--data-ascii)$/.test(option)) data.push(value())
    else if (option === '--data-urlencode') data.push(encodeData(value()))
    else if (option === '--json') {
      data.push(value())
      header('Content-Type', 'application/json')
      header('Accept', 'application/json')
    } else if (option === '-A' || option === '--user-agent') header('User-Agent', value())
    else if (option === '-b' || option === '--cookie') header('Cookie', value())
    else if (option === '-e' || option === '--referer') header('Referer', value())
    else if (option === '-u' || option === '--user') header('Authorization', `Basic ${base64OfText(value())}`)
    else if (option === '-G' || option === '--get') isGet = true
    else if (option === '-I' || option === '--head') read.method = 'HEAD'
    else if (option === '-F' || option === '--form') return 'Multipart forms (-F) are not supported.'
    else if (IGNORED_WITH_VALUE.test(option)) value()
  }
  if (read.url === '') return 'The command has no URL.'
  if (!/^https?:\/\//i.test(read.url)) read.url = ['http', read.url].join('://')
  if (!URL.canParse(read.url)) return `${read.url} is not a URL.`
  return complete(read, data, isGet)
}

function complete(read: ReadRequest, data: readonly string[], isGet: boolean): ReadRequest {
  if (data.length === 0) return { ...read, method: read.method || 'GET' }
  if (isGet) {
    const url = new URL(read.url)
    url.search = [url.search.slice(1), ...data].filter(Boolean).join('&')
    return { ...read, url: url.href, method: read.method || 'GET' }
  }
  const hasType = read.headers.some(({ name }) => name.toLowerCase() === 'content-type')
  const type = { name: 'Content-Type', value: 'application/x-www-form-urlencoded' }
  return {
    ...read,
    method: read.method || 'POST',
    headers: hasType ? read.headers : [...read.headers, type],
    body: data.join('&'),
  }
}

/** `-XPOST` and `--request=POST` have their value attached. */
function splitOption(word: string): [option: string, attached: string | null] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  if (equals !== -1) return [word.slice(0, equals), word.slice(equals + 1)]
  const short = word.slice(0, 2)
  return WITH_VALUE.has(short) && word.length > 2 ? [short, word.slice(2)] : [word, null]
}

function base64OfText(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

function addHeader(headers: NameValue[], line: string): void {
  const colon = line.indexOf(':')
  if (colon > 0) headers.push({ name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() })
}

function encodeData(value: string): string {
  const equals = value.indexOf('=')
  return equals === -1
    ? encodeURIComponent(value)
    : `${value.slice(0, equals)}=${encodeURIComponent(value.slice(equals + 1))}`
}

/** Words as a POSIX shell splits them, with quotes, backslashes and line continuations; no expansion. */
function splitWords(command: string): string[] | string {
  const words: string[] = []
  let word: string | null = null
  const text = command.replace(/\\\r?\n/g, ' ').trim()
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else if (character === "'" || character === '"') {
      const end = endOfQuote(text, index)
      if (end === -1) return 'A quote is not closed.'
      const quoted = text.slice(index + 1, end)
      word = (word ?? '') + (character === "'" ? quoted : quoted.replace(/\\(["\\$`])/g, '$1'))
      index = end
    } else if (character === '\\') word = (word ?? '') + (text[++index] ?? '')
    else word = (word ?? '') + character
  }
  return word === null ? words : [...words, word]
}

/** Index of the closing quote; -1: none. In double quotes, a backslash escapes the next character. */
function endOfQuote(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[start] === '"' && text[index] === '\\') index++
    else if (text[index] === text[start]) return index
  }
  return -1
}
