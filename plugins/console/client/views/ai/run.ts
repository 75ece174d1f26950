/** Sends one request to a model, reads the response as it arrives, and measures it. */
import { explain } from '../../lib/instance/api.ts'
import { send, UnreachableError, type OutgoingRequest } from '../../lib/instance/gateway.ts'
import { readFrames, type RawFrame } from './frames.ts'
import type { Frame, Piece, Reply, Run, ToolCall, WireFormat } from './types.ts'

const MAX_FRAMES = 2000
const MAX_FRAME_TEXT = 20_000
/** Minimum time between two renders of a growing response. */
const DRAW_MS = 60

const EMPTY: Reply = { text: '', thinking: '', calls: [], usage: null, finish: null }
export const NOT_STARTED: Run = {
  state: 'waiting',
  sent: null,
  frames: [],
  frameCount: 0,
  reply: EMPTY,
  firstTokenMs: null,
  ms: 0,
  error: null,
}

/** Sends the request and calls `show` on each change of the run. Returns the final run and never throws. */
export async function perform(request: OutgoingRequest, format: WireFormat, show: (run: Run) => void): Promise<Run> {
  const startedAt = performance.now()
  let run = NOT_STARTED
  let drawnAt = -Infinity
  function change(changes: Partial<Run>, now = true): void {
    run = { ...run, ...changes, ms: performance.now() - startedAt }
    if (!now && performance.now() - drawnAt < DRAW_MS) return
    drawnAt = performance.now()
    show(run)
  }
  change({})
  try {
    const { sent, response } = await send(request)
    change({ state: 'receiving', sent })
    for await (const frame of readFrames(response))
      change(withFrame(run, frame, format, response.ok, performance.now() - startedAt), false)
    change({ state: run.error === null ? 'done' : 'failed' })
  } catch (error) {
    const sent = error instanceof UnreachableError ? error.sent : run.sent
    if (request.signal?.aborted) change({ state: 'done', error: 'Stopped.' })
    else
      change({
        state: 'failed',
        sent,
        error: run.state === 'receiving' ? `The connection was lost: ${explain(error)}` : explain(error),
      })
  }
  return run
}

/** The changes of the run after one more frame. */
function withFrame(
  run: Run,
  { event, text, json, isPart }: RawFrame,
  format: WireFormat,
  isGood: boolean,
  ms: number,
): Partial<Run> {
  const frame: Frame = { ms, event, text: text.length > MAX_FRAME_TEXT ? `${text.slice(0, MAX_FRAME_TEXT)}…` : text }
  const frames = [...run.frames.slice(1 - MAX_FRAMES), frame]
  const changes = { frames, frameCount: run.frameCount + 1 }
  if (typeof json !== 'object' || json === null)
    return isGood ? changes : { ...changes, error: text.slice(0, 500) || 'The response has no body.' }
  const piece = isPart ? format.readFrame(json, event) : format.read(json)
  const hasContent = Boolean(piece.text || piece.thinking || piece.calls?.length)
  return {
    ...changes,
    reply: merge(run.reply, piece),
    firstTokenMs: run.firstTokenMs ?? (hasContent ? ms : null),
    error: piece.error ?? (isGood ? run.error : (messageOf(json) ?? text.slice(0, 500))),
  }
}

/** The error message, in the fields that gateways and vendors use. */
function messageOf(json: object): string | undefined {
  const { message, error, detail } = json as { message?: unknown; error?: unknown; detail?: unknown }
  const text = [message, detail, error].find(value => typeof value === 'string')
  return text as string | undefined
}

export function merge(reply: Reply, { text, thinking, calls = [], usage, finish }: Piece): Reply {
  return {
    text: reply.text + (text ?? ''),
    thinking: reply.thinking + (thinking ?? ''),
    calls: calls.reduce<readonly ToolCall[]>(withFragment, reply.calls),
    usage:
      usage === undefined
        ? reply.usage
        : { input: usage.input ?? reply.usage?.input ?? 0, output: usage.output ?? reply.usage?.output ?? 0 },
    finish: finish ?? reply.finish,
  }
}

interface Indexed extends ToolCall {
  at?: number
}

function withFragment(
  calls: readonly Indexed[],
  { at, id, name, args = '' }: { at?: number; id?: string; name?: string; args?: string },
): readonly Indexed[] {
  const known = at === undefined ? -1 : calls.findIndex(call => call.at === at)
  if (known === -1)
    return [
      ...calls,
      { ...(at === undefined ? {} : { at }), id: id ?? `call_${calls.length + 1}`, name: name ?? '', args },
    ]
  return calls.map((call, index) =>
    index === known ? { ...call, id: id ?? call.id, name: name ?? call.name, args: call.args + args } : call,
  )
}

export interface Speed {
  tokens: number
  /** Output tokens per second, from the first token to the end; null if the stream took no measurable time. */
  perSecond: number | null
}

/** Speed of the run; null: no tokens counted. */
export function speedOf({ reply, firstTokenMs, ms, frameCount }: Run): Speed | null {
  // An interrupted stream has not reported usage; its number of frames approximates its number of tokens.
  const tokens = reply.usage?.output ?? (reply.text === '' ? 0 : frameCount)
  if (firstTokenMs === null || tokens === 0) return null
  const from = frameCount > 1 ? firstTokenMs : 0
  return { tokens, perSecond: ms - from < 1 ? null : tokens / ((ms - from) / 1000) }
}
