/** Which shape a stream gets: by header, by a rule, or by its provider. */
import type { Exchange } from '../call/model-call.ts'
import type { Framing, LlmRoute, StreamShapes } from '../contract/provider.ts'
import { openAiShapes } from '../shapes/openai-shapes.ts'
import { actingItems, EXPECTED_SHAPE, readShape, type StreamShape } from '../shapes/shape.ts'

const NONE: StreamShapes = {}

export interface ChosenShape {
  shape: StreamShape
  shapes: StreamShapes
}

/** The items that act on a stream; null: none. */
export function chooseShape(exchange: Exchange, framing: Framing, ofRule: StreamShape | null): ChosenShape | null {
  const header = exchange.header('x-svc-stream-shape')
  const wanted = header === undefined ? (ofRule ?? exchange.instance.streamShape) : readHeader(header, exchange)
  if (wanted === undefined || wanted.length === 0) return null
  const shapes = shapesOf(exchange.route)
  const shape = actingItems(wanted, framing, shapes)
  return shape.length === 0 ? null : { shape, shapes }
}

function readHeader(text: string, { svc, request }: Exchange): StreamShape {
  const { shape, unknown } = readShape(text)
  if (unknown.length > 0) svc.http.ignoreHeader(request, 'X-Svc-Stream-Shape', EXPECTED_SHAPE)
  return shape
}

function shapesOf({ shapes, op }: LlmRoute): StreamShapes {
  return shapes ?? (op === 'chat' ? openAiShapes : NONE)
}
