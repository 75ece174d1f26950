/** Answers one datagram: its directives, then the mode. */
import type { Datagram, MemoryPool } from 'svc/plugin'
import { DirectiveError, type Directives, findFirstLine, readDirectives } from './directives.ts'
import type { Instance } from './modes/mode.ts'
import { MODES } from './modes/modes.ts'
import { type ListenerOptions, type ModeName, takesDirectives } from './options.ts'

export interface DatagramParts {
  options: ListenerOptions
  /** Modes that a client may choose. */
  modes: readonly ModeName[] | null
  delayMs: number
  maxDelayMs: number
  /** For answers that wait. */
  waiting: MemoryPool
  instance: Instance
}

const NO_DIRECTIVES: Directives = { words: [] }

export function answerDatagram(datagram: Datagram, parts: DatagramParts): void {
  const { data, record, reply } = datagram
  record.received(data)
  const { options } = parts
  let directives = NO_DIRECTIVES
  let rest = data
  const found = takesDirectives(options) ? findFirstLine(data) : ({ state: 'data' } as const)
  try {
    if (found.state === 'too-long') throw new DirectiveError('a line of at most 512 bytes')
    // The whole datagram is the line if it has no LF.
    const isAll = found.state === 'more' && data.length >= 4
    if (found.state === 'line' || isAll) {
      const line = found.state === 'line' ? found.line : data
      directives = readDirectives(line, 'udp', { maxSend: 0, maxDelayMs: parts.maxDelayMs })
      rest = found.state === 'line' ? data.subarray(found.length) : Buffer.alloc(0)
    }
  } catch (error) {
    if (!(error instanceof DirectiveError)) throw error
    reply(Buffer.from(`SVC error: ${error.message}`))
    return
  }
  const { words, session, mode: chosen, drop, twice, size, delayMs = parts.delayMs } = directives
  for (const word of words) record.directive(word)
  if (session !== undefined) record.session(session)
  const mode = chosen !== undefined && (parts.modes === null || parts.modes.includes(chosen)) ? chosen : options.mode
  if (mode !== options.mode) record.mode(mode)
  if (delayMs > 0) record.fault('delay')
  if (drop === true) return
  const context = { options, facts: { ...datagram, tls: null }, instance: parts.instance }
  const answer = MODES[mode].datagram(rest, context)
  if (answer === null) return
  const sent = size === undefined ? answer : sized(answer, size)
  const send = (): void => {
    reply(sent)
    if (twice === true) reply(sent)
  }
  if (delayMs === 0) return send()
  if (!parts.waiting.take(sent.length)) return
  const timer = setTimeout(() => {
    parts.waiting.give(sent.length)
    send()
  }, delayMs)
  timer.unref()
}

/** Padded with `.`, or cut. */
function sized(answer: Buffer, size: number): Buffer {
  if (answer.length >= size) return answer.subarray(0, size)
  return Buffer.concat([answer, Buffer.alloc(size - answer.length, '.')])
}
