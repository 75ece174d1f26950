/** `GET /responses` with an upgrade: responses over a WebSocket, several at once in lanes. */
import type { LlmRoute, LlmSocket, OwnParsed, StreamEvent } from '../../llm/types.ts'
import type { ResponsesSocketData } from './request.ts'
import type { StoredResponse } from './response-store.ts'
import type { ResponsesState } from './services.ts'

const MAX_RUNNING = 16
const MAX_LANES = 32
const STREAM_ID = /^.{1,200}$/su
/** Messages that wait in a lane. */
const MAX_WAITING = 100
const DROPPED = ['type', 'stream', 'stream_id', 'background']

interface Problem {
  code: string | null
  message: string
  param?: string | null
  type?: string
}

export function responsesSocket({ engine }: ResponsesState): LlmRoute<OwnParsed> {
  return {
    method: 'GET',
    path: '/responses',
    op: 'other',
    describe: {
      summary: 'create responses over a WebSocket',
      protocol: 'websocket',
      responses: { 101: { description: 'Connected' }, 426: { description: 'Not a WebSocket handshake' } },
      examples: [{ name: 'Handshake', path: '/ai/openai/v1/responses', expectStatus: 101 }],
    },
    parse(input) {
      if (!input.isUpgrade) throw engine.badInput('Upgrade to a WebSocket required.', { status: 426 })
      return { op: 'own', promptTokens: 0, completionTokens: 0, wire: null }
    },
    socket(socket, _parsed) {
      new ResponsesConnection(socket).begin()
    },
    render: () => ({ body: {} }),
  }
}

interface Lane {
  isRunning: boolean
  waiting: { event: Record<string, unknown>; bytes: number }[]
  latest: StoredResponse | null
  /** Bytes of the latest response. */
  latestBytes: number
}

class ResponsesConnection {
  readonly #socket: LlmSocket
  readonly #lanes = new Map<string | null, Lane>()
  #running = 0

  constructor(socket: LlmSocket) {
    this.#socket = socket
  }

  begin(): void {
    const socket = this.#socket
    socket.after(socket.lifetimeMs, () => {
      this.#refuse(null, 400, {
        code: 'websocket_connection_limit_reached',
        message: 'The connection has reached its maximum duration. Open a new connection to continue.',
      })
      socket.close(1000, 'connection limit reached')
    })
    socket.onText(text => this.#receive(text))
  }

  #receive(text: string): void {
    const event = parsed(text)
    if (event === null)
      return this.#refuse(null, 400, { code: 'invalid_json', message: 'The message is not a JSON object.' })
    const stream = typeof event.stream_id === 'string' ? event.stream_id : null
    if (event.stream_id != null && (typeof event.stream_id !== 'string' || !STREAM_ID.test(event.stream_id)))
      return this.#refuse(null, 400, {
        code: 'invalid_value',
        message: "Invalid 'stream_id': expected a string of 1 to 200 characters.",
        param: 'stream_id',
      })
    if (event.type === 'response.steer') return this.#refuseSteering(event)
    if (event.type !== 'response.create')
      return this.#refuse(stream, 400, {
        code: 'unknown_event',
        message:
          event.type === undefined
            ? "Missing required parameter: 'type'. Expected 'response.create'."
            : `Unknown event type: ${String(event.type).slice(0, 100)}. Expected 'response.create'.`,
        param: 'type',
      })
    const lane = this.#laneOf(stream)
    if (lane === null || lane.waiting.length >= MAX_WAITING || (!lane.isRunning && this.#running >= MAX_RUNNING))
      return this.#refuse(stream, 400, {
        code: 'websocket_stream_limit_reached',
        message: `At most ${MAX_RUNNING} responses can run at once, in ${MAX_LANES} streams.`,
      })
    const bytes = Buffer.byteLength(text)
    if (!this.#socket.keep(bytes))
      return this.#refuse(stream, 400, {
        code: 'websocket_stream_limit_reached',
        message: 'The requests that wait on this connection are too large. Wait until some of them have been answered.',
      })
    lane.waiting.push({ event, bytes })
    if (!lane.isRunning) void this.#work(stream, lane)
  }

  #laneOf(stream: string | null): Lane | null {
    const known = this.#lanes.get(stream)
    if (known !== undefined) return known
    if (this.#lanes.size >= MAX_LANES) return null
    const lane: Lane = { isRunning: false, waiting: [], latest: null, latestBytes: 0 }
    this.#lanes.set(stream, lane)
    return lane
  }

  /** One response after the other. */
  async #work(stream: string | null, lane: Lane): Promise<void> {
    lane.isRunning = true
    this.#running += 1
    try {
      for (let next = lane.waiting.shift(); next !== undefined; next = lane.waiting.shift()) {
        if (this.#socket.isClosed) return
        await this.#create(stream, lane, next.event)
        this.#socket.keep(-next.bytes)
      }
    } finally {
      lane.isRunning = false
      this.#running -= 1
    }
  }

  async #create(stream: string | null, lane: Lane, event: Record<string, unknown>): Promise<void> {
    const socket = this.#socket
    const body = {
      ...Object.fromEntries(Object.entries(event).filter(([name]) => !DROPPED.includes(name))),
      stream: true,
    }
    let release = async (): Promise<void> => {}
    const data: ResponsesSocketData = {
      lock: given => {
        release = given
      },
      recall: id => this.#recall(id),
      remember: response => this.#remember(lane, response),
    }
    const outcome = await socket.run(socket.target, body, {
      data,
      send: (sent: StreamEvent) => socket.send(this.#named(stream, sent.data as object)),
    })
    // The lock ends without it, only later.
    await release().catch(() => {})
    if (outcome.kind === 'sent') return
    if (event.previous_response_id != null) this.#remember(lane, null)
    const { error } = outcome.body as { error: Problem }
    const retryAfter = outcome.headers['Retry-After']
    this.#refuse(stream, outcome.status, error, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
  }

  #recall(id: string): ReturnType<ResponsesSocketData['recall']> {
    for (const { latest, latestBytes: bytes } of this.#lanes.values())
      if (latest?.head.id === id) return { response: latest, bytes }
    return undefined
  }

  /** A response that is too large for the connection is not remembered. */
  #remember(lane: Lane, response: StoredResponse | null): void {
    this.#socket.keep(-lane.latestBytes)
    const bytes = response === null ? 0 : Buffer.byteLength(JSON.stringify(response))
    const isKept = this.#socket.keep(bytes)
    lane.latest = isKept ? response : null
    lane.latestBytes = isKept ? bytes : 0
  }

  #refuse(stream: string | null, status: number, problem: Problem, headers: Record<string, string> = {}): void {
    const { type = 'invalid_request_error', code, message, param = null } = problem
    const error = { type, code, message, param, ...(Object.keys(headers).length === 0 ? {} : { headers }) }
    this.#socket.send(this.#named(stream, { type: 'error', status, error }))
  }

  #refuseSteering({ input, previous_response_id }: Record<string, unknown>): void {
    this.#socket.send({
      type: 'response.steer.failed',
      sequence_number: 0,
      steer: { input: input ?? null, previous_response_id: previous_response_id ?? null },
      error: {
        type: 'invalid_request_error',
        code: 'steering_not_supported',
        message: 'This model does not support steering.',
      },
    })
  }

  #named(stream: string | null, event: object): object {
    return stream === null ? event : { ...event, stream_id: stream }
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
