/** A response while its events are sent: what the client has got of it, and its end. */
import type { ChatResult, StreamEvent } from '../llm/types.ts'
import type { RealtimeItem } from './items.ts'
import { closingPieces, messageContent, pendingResponse, PIECE_MS, type ResponseParsed } from './response-route.ts'

export type EndReason = 'client_cancelled' | 'turn_detected'

interface Sent {
  type: string
  item?: RealtimeItem
  delta?: string
  response?: Record<string, unknown>
  output_index?: number
}

const JOINED_PIECES = 1024

/** Text in many small pieces: joined now and then, since a text of pieces takes ten times the memory. */
class SentText {
  #joined = ''
  #pieces: string[] = []

  add(piece: string): void {
    if (this.#pieces.push(piece) === JOINED_PIECES) this.#join()
  }

  toString(): string {
    this.#join()
    return this.#joined
  }

  #join(): void {
    this.#joined += this.#pieces.join('')
    this.#pieces = []
  }
}

export class RunningResponse {
  readonly #stop = new AbortController()
  #reason: EndReason | null = null
  #response: Record<string, unknown> | null = null
  readonly #output: RealtimeItem[] = []
  /** The item that is being sent, and its text so far. */
  #open: { item: RealtimeItem; index: number; text: SentText; isSpoken: boolean; hasPart: boolean } | null = null
  /** Text tokens that were sent. */
  #tokens = 0
  /** Duration of the sound that was sent. */
  spokenMs = 0

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get hasSpoken(): boolean {
    return this.spokenMs > 0
  }

  get reason(): EndReason | null {
    return this.#reason
  }

  get id(): unknown {
    return this.#response?.id
  }

  /** Ends the response; the remaining events follow when its generation has stopped. */
  cancel(reason: EndReason): void {
    this.#reason ??= reason
    this.#stop.abort()
  }

  /** Notes an event that is sent. */
  note({ data, paced }: StreamEvent): void {
    const { type, item, delta = '', response, output_index: index = 0 } = data as Sent
    const open = this.#open
    if (paced === true) this.#tokens += 1
    if (type === 'response.created') this.#response = response!
    else if (type === 'response.output_item.added')
      this.#open = { item: item!, index, text: new SentText(), isSpoken: false, hasPart: false }
    else if (type === 'response.output_item.done') {
      this.#output.push(item!)
      this.#open = null
    } else if (open !== null && type === 'response.content_part.added') open.hasPart = true
    else if (open !== null && type === 'response.output_audio.delta') {
      open.isSpoken = true
      this.spokenMs += PIECE_MS
    } else if (open !== null && type.endsWith('.delta')) {
      open.text.add(delta)
      open.isSpoken ||= type === 'response.output_audio_transcript.delta'
    }
  }

  /** The events that end a response which was not sent completely, but for `response.done`. */
  *closing(isSpoken: boolean): Iterable<StreamEvent> {
    const open = this.#open
    if (open === null || this.#response === null) return
    const at = { response_id: this.#response.id, item_id: open.item.id, output_index: open.index }
    const isMessage = open.item.type === 'message'
    const text = open.text.toString()
    if (isMessage && open.hasPart) yield* closingPieces(isSpoken, { ...at, content_index: 0 }, text)
    const content = isMessage ? { content: open.hasPart ? [messageContent(isSpoken, text)] : [] } : { arguments: text }
    const item: RealtimeItem = { ...open.item, ...content, status: 'incomplete' }
    yield {
      data: { type: 'response.output_item.done', response_id: this.#response.id, output_index: open.index, item },
    }
    if (this.#response.conversation_id !== null) yield { data: { type: 'conversation.item.done', item } }
  }

  /** The response at its end. */
  finished(parsed: ResponseParsed, result: ChatResult, isWhole: boolean): Record<string, unknown> {
    return {
      ...(this.#response ?? pendingResponse(parsed.wire)),
      ...this.#status(result, isWhole),
      output: this.#output,
      usage: usageOf(result, isWhole ? null : this.#tokens),
    }
  }

  get hasBegun(): boolean {
    return this.#response !== null
  }

  #status(result: ChatResult, isWhole: boolean): { status: string; status_details: object | null } {
    if (!isWhole)
      return this.#reason === null
        ? {
            status: 'failed',
            status_details: { type: 'failed', error: { type: 'server_error', code: 'server_error' } },
          }
        : { status: 'cancelled', status_details: { type: 'cancelled', reason: this.#reason } }
    const { finish } = result.choices[0]!
    if (finish === 'length')
      return { status: 'incomplete', status_details: { type: 'incomplete', reason: 'max_output_tokens' } }
    if (finish === 'content_filter' || finish === 'prompt_filter')
      return { status: 'incomplete', status_details: { type: 'incomplete', reason: 'content_filter' } }
    return { status: 'completed', status_details: null }
  }
}

/** `sent`: the text tokens of a reply that was not sent completely. */
function usageOf(result: ChatResult, sent: number | null): object {
  const { input: audioInput, output: audioOutput } = result.audio ?? { input: 0, output: 0 }
  const text = result.completionTokens - audioOutput
  const textOutput = sent === null ? text : Math.min(sent, text)
  const spoken = sent === null || text === 0 ? audioOutput : Math.ceil((audioOutput * textOutput) / text)
  const cached = result.cachedTokens ?? 0
  return {
    total_tokens: result.promptTokens + textOutput + spoken,
    input_tokens: result.promptTokens,
    output_tokens: textOutput + spoken,
    input_token_details: {
      text_tokens: result.promptTokens - audioInput,
      audio_tokens: audioInput,
      image_tokens: 0,
      cached_tokens: cached,
      cached_tokens_details: { text_tokens: cached, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: textOutput, audio_tokens: spoken },
  }
}
