/** Which shape a stream gets: by header, by a rule, or by its provider. */
import type { ModelCall } from '../call/model-call.ts'
import type { Framing, StreamShapes } from '../contract/stream.ts'
import { openAiShapes } from '../shapes/openai-shapes.ts'
import { actingItems, EXPECTED_SHAPE, readShape, type StreamShape } from '../shapes/shape.ts'

const NONE: StreamShapes = {}

export interface ChosenShape {
  shape: StreamShape
  shapes: StreamShapes
}

/** The items that act on a stream; null: none. */
export function chooseShape(call: ModelCall, framing: Framing, ofRule: StreamShape | null): ChosenShape | null {
  const header = call.header('x-svc-stream-shape')
  const wanted =
    header === undefined ? (ofRule ?? call.shapeOfRule ?? call.instance.streamShape) : readHeader(header, call)
  if (wanted === undefined || wanted.length === 0) return null
  const shapes = shapesOf(call)
  const shape = actingItems(wanted, framing, shapes)
  return shape.length === 0 ? null : { shape, shapes }
}

function readHeader(text: string, { svc, request }: ModelCall): StreamShape {
  const { shape, unknown } = readShape(text)
  if (unknown.length > 0) svc.http.ignoreHeader(request, 'X-Svc-Stream-Shape', EXPECTED_SHAPE)
  return shape
}

function shapesOf({ modelRoute }: ModelCall): StreamShapes {
  return modelRoute?.shapes ?? (modelRoute?.op === 'chat' ? openAiShapes : NONE)
}
