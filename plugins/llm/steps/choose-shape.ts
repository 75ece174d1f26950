/** Which shape a reply gets: by header, by a rule, or by its provider. */
import { preferredCoding } from 'svc/toolkit'
import type { ModelCall } from '../call/model-call.ts'
import type { Framing, StreamShapes } from '../contract/stream.ts'
import { openAiShapes } from '../shapes/openai-shapes.ts'
import {
  actingItems,
  CODINGS,
  EXPECTED_SHAPE,
  itemOf,
  itemsOfErrors,
  readShape,
  type Coding,
  type StreamShape,
} from '../shapes/shape.ts'

const HEADER = 'X-Svc-Stream-Shape'
const NONE: StreamShapes = {}
const NO_ITEMS: StreamShape = []
/** The largest value of `huge` in public mode. */
const MAX_PUBLIC_PADDING = 262_144

export interface ChosenShape {
  shape: StreamShape
  shapes: StreamShapes
}

/** The items that act on a stream, or on a complete reply (null); null: none. */
export function chooseShape(call: ModelCall, framing: Framing | null, ofReply: StreamShape | null): ChosenShape | null {
  const wanted = wantedShape(call, ofReply)
  if (wanted.length === 0) return null
  const shapes = shapesOf(call)
  const shape = withinBounds(actingItems(wanted, framing, shapes), call)
  return shape.length === 0 ? null : { shape, shapes }
}

/** The items that act on an error: as far as they are known when it ends the call. */
export function shapeOfError(call: ModelCall): StreamShape {
  return itemsOfErrors(wantedShape(call, call.shapeOfReply))
}

function wantedShape(call: ModelCall, ofReply: StreamShape | null): StreamShape {
  const header = call.header('x-svc-stream-shape')
  if (header === undefined) return ofReply ?? call.shapeOfRule ?? call.instance.streamShape ?? NO_ITEMS
  if (call.shapeOfHeader !== null) return call.shapeOfHeader
  const { shape, unknown } = readShape(header)
  if (unknown.length > 0) call.svc.http.ignoreHeader(call.request, HEADER, EXPECTED_SHAPE)
  call.shapeOfHeader = shape
  return shape
}

/** Without what public mode does not allow, and without codings that the client does not accept. */
function withinBounds(shape: StreamShape, call: ModelCall): StreamShape {
  const padding = Number(itemOf(shape, 'huge') ?? 0)
  const isTooLarge = call.svc.config.publicMode && padding > MAX_PUBLIC_PADDING
  if (isTooLarge)
    call.svc.http.ignoreHeader(call.request, HEADER, `expected huge=<n> with at most ${MAX_PUBLIC_PADDING}`)
  call.varies = shape.some(({ name }) => isCoding(name))
  return shape.filter(
    ({ name, value }) =>
      !(name === 'huge' && isTooLarge) && !(isCoding(name) && value !== 'force' && !accepts(call, name)),
  )
}

function isCoding(name: string): name is Coding {
  return CODINGS.some(coding => coding === name)
}

function accepts(call: ModelCall, coding: Coding): boolean {
  return preferredCoding(call.header('accept-encoding'), [coding]) === coding
}

/** The content coding that a shape asks for; null: none. */
export function codingOf(shape: StreamShape | null): { coding: Coding; flushes: boolean } | null {
  const item = shape?.find(({ name }) => isCoding(name))
  return item === undefined ? null : { coding: item.name as Coding, flushes: item.value !== 'late' }
}

function shapesOf({ modelRoute, parsed }: ModelCall): StreamShapes {
  const ofRequest = parsed === null ? undefined : modelRoute?.shapesOf?.(parsed)
  return ofRequest ?? modelRoute?.shapes ?? (modelRoute?.op === 'chat' ? openAiShapes : NONE)
}
