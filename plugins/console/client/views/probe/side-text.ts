/** A side of an exchange as text: the bytes, or a line for each field of HTTP/2, an empty line and the content. */
import type { Field, Side } from './types.ts'

export function sideText(side: Side): string {
  if ('bytes' in side) return side.bytes
  const { interims = [], fields, data, trailers = [], frames = [], error } = side
  const heads = [...interims, fields].map(lines)
  const content = data === '' ? [] : [data]
  const end = trailers.length === 0 ? [] : [lines(trailers)]
  const facts = [...frames.map(frame => `frame: ${frame}`), ...(error === undefined ? [] : [`stream error: ${error}`])]
  return [...heads, ...content, ...end, ...(facts.length === 0 ? [] : [facts.join('\n')])].join('\n\n')
}

function lines(fields: readonly Field[]): string {
  return fields.map(([name, value]) => `${name}: ${value}`).join('\n')
}
