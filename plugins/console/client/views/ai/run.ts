/** One request to a model: sent, read as it comes, measured. */
import { explain } from '../../lib/instance/api.ts'
import { send, UnreachableError, type OutgoingRequest } from '../../lib/instance/gateway.ts'
import { readFrames, type RawFrame } from './frames.ts'
import type { Frame, Piece, Reply, Run, ToolCall, WireFormat } from './types.ts'

const MAX_FRAMES = 2000
const MAX_FRAME_TEXT = 20_000
/** Between two drawings of what grows. */
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

/** Sends it and shows the run whenever it has changed; ends with the run as it became, never by throwing. */
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
      change(taken(run, frame, format, response.ok, performance.now() - startedAt), false)
    change({ state: run.error === null ? 'done' : 'failed' })
  } catch (error) {
    const sent = error instanceof UnreachableError ? error.sent : run.sent
    if (request.signal?.aborted) change({ state: 'done', error: 'Stopped.' })
    else
      change({
        state: 'failed',
        sent,
        error: run.state === 'receiving' ? `The connection broke: ${explain(error)}` : explain(error),
      })
  }
  return run
}

/** The run with one frame more. */
function taken(
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
    return isGood ? changes : { ...changes, error: text.slice(0, 500) || 'An answer without a body.' }
  const piece = isPart ? format.readFrame(json, event) : format.read(json)
  const isSaid = Boolean(piece.text || piece.thinking || piece.calls?.length)
  return {
    ...changes,
    reply: merge(run.reply, piece),
    firstTokenMs: run.firstTokenMs ?? (isSaid ? ms : null),
    error: piece.error ?? (isGood ? run.error : (messageOf(json) ?? text.slice(0, 500))),
  }
}

/** What gateways and vendors call it. */
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
  /** Output tokens a second, between the first one and the end; null where a stream had no length in time. */
  perSecond: number | null
}

/** How fast it was; null: nothing was counted. */
export function speedOf({ reply, firstTokenMs, ms, frameCount }: Run): Speed | null {
  // A stream that breaks off has told no usage: its frames are about its tokens.
  const tokens = reply.usage?.output ?? (reply.text === '' ? 0 : frameCount)
  if (firstTokenMs === null || tokens === 0) return null
  const from = frameCount > 1 ? firstTokenMs : 0
  return { tokens, perSecond: ms - from < 1 ? null : tokens / ((ms - from) / 1000) }
}
