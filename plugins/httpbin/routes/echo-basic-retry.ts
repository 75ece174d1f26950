/** `/retry/` of echo-basic: the first attempts of a client fail, then the request is echoed. */
import { createHash } from 'node:crypto'
import { readQuery, type FastifyReply, type FastifyRequest, type Store, type Svc } from 'svc/plugin'
import { parseGoDuration } from 'svc/toolkit'

const MAX_CLIENTS = 10_000
const IDLE_MS = 3_600_000

/** Attempts by the hash of `uuid`. They are not those of a session: a gateway's retries name none. */
export type Attempts = Store<number>

export function openAttempts(svc: Svc<unknown>): Attempts {
  return svc.state<number>('echo-basic-attempts', { maxCount: MAX_CLIENTS, ttlMs: IDLE_MS, ttlFrom: 'use' })
}

export interface RetryServices {
  svc: Svc<unknown>
  attempts: Attempts
  /** Sends the 500 of the original for a delay that cannot be read. */
  sendDelayError(reply: FastifyReply, delay: string): FastifyReply
  echo(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

/** `responseCode` answers with this status instead of a reset, after `delayRetry`. A negative `succeedAfter` never fails. */
export async function serveRetry(
  request: FastifyRequest,
  reply: FastifyReply,
  { svc, attempts, sendDelayError, echo }: RetryServices,
): Promise<unknown> {
  const query = readQuery(request)
  const uuid = query.get('uuid') ?? ''
  const succeedAfter = query.get('succeedAfter') ?? ''
  if (uuid === '') return refuse(reply, 'uuid is required')
  if (!/^[+-]?\d{1,9}$/.test(succeedAfter)) return refuse(reply, 'succeedAfter is required')
  const attempt = await attempts.increment(createHash('sha256').update(uuid).digest('base64url'))
  if (attempt > Number(succeedAfter)) return echo(request, reply)
  const code = query.get('responseCode') ?? ''
  if (!/^[2-5]\d\d$/.test(code)) {
    svc.http.breakConnection(request, 'reset')
    return reply.hijack()
  }
  const delay = query.get('delayRetry') ?? ''
  const delayMs = delay === '' ? 0 : parseGoDuration(delay)
  if (delayMs === null) return sendDelayError(reply, delay)
  if (delayMs > 0 && !(await svc.http.delay(request, delayMs))) return reply.hijack()
  return reply.code(Number(code)).send()
}

function refuse(reply: FastifyReply, message: string): FastifyReply {
  return reply.code(400).header('Content-Type', 'text/plain; charset=utf-8').send(Buffer.from(message))
}
