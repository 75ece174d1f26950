/** The frames of `InvokeModelWithResponseStream`: events of any format, as base64 in JSON. */
import type { StreamEvent } from '../llm/types.ts'

/** One chunk of a streamed reply, before it is framed. */
export interface Chunk {
  /** A string is already serialized JSON. */
  data: object | string
  paced?: boolean | number | undefined
}

export function frame({ data, paced }: Chunk): StreamEvent {
  const json = typeof data === 'string' ? data : JSON.stringify(data)
  return {
    event: 'chunk',
    data: { bytes: Buffer.from(json).toString('base64') },
    ...(paced === undefined ? {} : { paced }),
  }
}
