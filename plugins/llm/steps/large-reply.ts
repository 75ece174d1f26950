/** Counts and writes large replies in chunks, so that other requests run in between and the JSON is never in memory as a whole. */
import { Pacer, type FastifyReply, type OutputBudget } from 'svc/plugin'
import { drained, isGone, jsonChunks } from 'svc/toolkit'
import type { Rendered } from '../contract/route.ts'

/**
 * Takes what a rendered body has, in place of the contents that were taken before. Returns its bytes. Throws
 * `OutputTooLarge` or `OutputUnavailable`.
 */
export async function takeBody(output: OutputBudget, body: Rendered['body']): Promise<number> {
  const pacer = new Pacer()
  // The contents were computed in this turn of the event loop.
  await pacer.pause()
  let bytes = 0
  for (const chunk of chunksOf(body)) {
    bytes += Buffer.byteLength(chunk)
    output.takeUpTo(bytes)
    if (pacer.isDue) await pacer.pause()
  }
  return bytes
}

/** Writes a body as its client reads it, and ends the response. Stops if the client disconnects or stops reading. */
export async function writeBody({ raw }: FastifyReply, { body, stored }: Rendered): Promise<void> {
  const pacer = new Pacer()
  for (const chunk of stored?.chunks ?? chunksOf(body)) {
    if (isGone(raw)) return
    if (!raw.write(chunk) && !(await drained(raw))) return void raw.destroy()
    if (pacer.isDue) await pacer.pause()
  }
  raw.end()
}

function chunksOf(body: Rendered['body']): Iterable<string | Buffer> {
  return typeof body === 'string' || Buffer.isBuffer(body) ? [body] : jsonChunks(body)
}
