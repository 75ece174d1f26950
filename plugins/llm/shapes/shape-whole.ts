/** Shapes of complete replies. */
import { isRecord, jsonChunks } from 'svc/toolkit'
import type { Rendered } from '../contract/route.ts'
import type { StreamShapes } from '../contract/stream.ts'
import { changeWhole } from './change-shape.ts'
import { CODINGS, type StreamShape } from './shape.ts'

/** A reply with the items of its shape that change its members; codings are left to the writer. */
export function shapeWhole(
  rendered: Rendered,
  { shape, shapes }: { shape: StreamShape; shapes: StreamShapes },
): Rendered {
  if (rendered.stored !== undefined || shape.every(({ name }) => CODINGS.some(coding => coding === name)))
    return rendered
  const body: unknown = JSON.parse(textOf(rendered.body))
  for (const reply of [body].flat()) if (isRecord(reply)) changeWhole(reply, shape, shapes)
  return { ...rendered, body: body as object }
}

function textOf(body: Rendered['body']): string {
  if (typeof body === 'string') return body
  return Buffer.isBuffer(body) ? body.toString() : [...jsonChunks(body)].join('')
}
