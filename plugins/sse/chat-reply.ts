/** The reply of `/sse/chat`: its words, and the chunks that carry them. */
import { randomUUID } from 'node:crypto'

const REPLY = [
  'This is a canned answer from a stub upstream, sent one word at a time so that you can watch a gateway stream it.',
  'Nothing here was generated: the same prompt gets the same words, whatever the time of day or the mood of a model.',
  'If the words arrive all at once, something between you and this server has buffered the stream.',
].join(' ')
const QUOTED_CHARACTERS = 200

export interface ChatReply {
  /** Each word with the spaces that follow it. */
  words: string[]
  promptTokens: number
  finishReason: 'stop' | 'length'
}

/** The reply to a prompt, which may be empty, cut to `maxTokens` words. */
export function replyTo(prompt: string, maxTokens: number): ChatReply {
  const all = splitWords(prompt === '' ? REPLY : `You said: "${quote(prompt)}". ${REPLY}`)
  return {
    words: all.slice(0, maxTokens),
    promptTokens: countWords(prompt),
    finishReason: all.length > maxTokens ? 'length' : 'stop',
  }
}

/** The first characters of a prompt, without splitting code points. */
function quote(prompt: string): string {
  // A code point has at most two units, so only the start of a long prompt is split into code points.
  const start = Array.from(prompt.slice(0, 2 * QUOTED_CHARACTERS))
    .slice(0, QUOTED_CHARACTERS)
    .join('')
  return start.replace(/\p{Cc}/gu, '')
}

function splitWords(text: string): string[] {
  return text.match(/\S+\s*/g) ?? []
}

function countWords(text: string): number {
  let count = 0
  for (const _word of text.matchAll(/\S+/g)) count++
  return count
}

/** `chat-` and 32 hex digits. */
export function newChatId(): string {
  return `chat-${randomUUID().replaceAll('-', '')}`
}

/** A chunk with one word. */
export function wordChunk(id: string, index: number, delta: string) {
  return { id, object: 'chat.chunk', index, delta, finish_reason: null }
}

/** The last chunk: no word, but the finish reason and the usage. */
export function lastChunk(id: string, { words, promptTokens, finishReason }: ChatReply) {
  const usage = {
    completion_tokens: words.length,
    prompt_tokens: promptTokens,
    total_tokens: words.length + promptTokens,
  }
  return { id, object: 'chat.chunk', index: words.length, delta: '', finish_reason: finishReason, usage }
}
