/** Large messages to many sockets of mock models: each has a turn of the event loop, so that other requests run in between. */
import t, { type Test } from 'tap'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { connectJson } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const SOCKETS = 10
const LIVE = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const TEXT = 'lorem ipsum '.repeat(10_000)

/** Messages that are answered at once: with an error event, or by closing the socket. */
const PROTOCOLS = {
  'OpenAI Realtime': { path: '/ai/openai/v1/realtime?model=svc-echo', message: { type: 'none', text: TEXT } },
  'OpenAI Responses': { path: '/ai/openai/v1/responses', message: { type: 'none', text: TEXT } },
  'Gemini Live': { path: `/ai/gemini${LIVE}`, message: { none: TEXT } },
}

const server = await serveLlm(t)

/** Messages to sockets of the server, which arrive together however the client sends them. */
interface Gathering {
  /** Waits until all have come, hands them over in one turn of the event loop, and returns in which turn each was answered. */
  turnsOfAnswers(): Promise<number[]>
}

/** Applies to sockets that open after it. */
function gatherMessages(t: Test): Gathering {
  const held: (() => void)[] = []
  const answered = new Map<WebSocket, number>()
  let isReleased = false
  let turn = 0
  const { emit, send, close } = WebSocket.prototype
  t.teardown(() => Object.assign(WebSocket.prototype, { emit, send, close }))
  // Sockets of a client have a URL.
  const isServer = (socket: WebSocket): boolean => !socket.url
  const noteAnswer = (socket: WebSocket): void => {
    if (isReleased && isServer(socket) && !answered.has(socket)) answered.set(socket, turn)
  }
  Object.assign(WebSocket.prototype, {
    emit(this: WebSocket, event: string, ...rest: unknown[]): boolean {
      if (isReleased || event !== 'message' || !isServer(this)) return emit.call(this, event, ...rest)
      held.push(() => emit.call(this, event, ...rest))
      return true
    },
    send(this: WebSocket, ...rest: Parameters<typeof send>): void {
      noteAnswer(this)
      send.apply(this, rest)
    },
    close(this: WebSocket, ...rest: Parameters<typeof close>): void {
      noteAnswer(this)
      close.apply(this, rest)
    },
  })
  return {
    async turnsOfAnswers() {
      while (held.length < SOCKETS) await nextTurn()
      isReleased = true
      for (const release of held) release()
      for (; answered.size < SOCKETS; turn++) await nextTurn()
      return [...answered.values()]
    },
  }
}

for (const [name, { path, message }] of Object.entries(PROTOCOLS))
  t.test(`${name}: large messages that arrive together take turns [HARD-30]`, { timeout: 600_000 }, async t => {
    const gathering = gatherMessages(t)
    const clients = await Promise.all(
      Array.from({ length: SOCKETS }, (_, index) =>
        connectJson(t, `${server.url}${path}`, { headers: { 'x-svc-session': `turns-${index}` } }),
      ),
    )
    for (const client of clients) client.send(message)
    const turns = await gathering.turnsOfAnswers()
    t.equal(new Set(turns).size, SOCKETS, `turns of the answers: ${turns.join()}`)
  })
