/** The logs of Kong's `mock_upstream`: what the plugins under test have sent. */
import { HttpError, type JsonObject, type Store, type Svc } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { Call } from '../request/call.ts'

/** The original's for all of these. */
const TYPE = 'text/plain'
const MAX_NAMES = 200
const MAX_ENTRIES = 1000
const MAX_LOG_BYTES = 1_048_576
const ALL_LOG_BYTES = 16_777_216

export interface Log {
  entries: JsonObject[]
}

export function openLogs(svc: Svc<unknown>): Store<Log> {
  return svc.state<Log>('kong-logs', { maxCount: MAX_NAMES, maxBytes: ALL_LOG_BYTES, ttlMs: 3_600_000 })
}

interface LogCall {
  action: string
  name: string
}

export async function serveLog(call: Call, logs: Store<Log>, { action, name }: LogCall): Promise<unknown> {
  const { header } = call.svc.http.session(call.request)
  if (header === null && call.svc.config.publicMode)
    throw new HttpError(400, { error: 'session_required', details: 'logs of a shared instance belong to sessions' })
  const key = `${header ?? ''} ${name}`
  switch (action) {
    case 'post_log':
      return post(call, logs, key)
    case 'reset_log':
      await logs.delete(key)
      return call.send(TYPE, '')
    case 'count_log':
      return call.send(TYPE, `${(await logs.get(key))?.entries.length ?? 0}\n`)
    default: {
      const entries = (await logs.get(key))?.entries ?? []
      return call.send(TYPE, `${JSON.stringify({ entries, count: entries.length })}\n`)
    }
  }
}

/** Adds the object or the objects of the body, each with the headers of the request. */
async function post(call: Call, logs: Store<Log>, key: string): Promise<unknown> {
  let sent: unknown
  try {
    sent = JSON.parse(call.body.toString())
  } catch {
    return call.text('the body must be JSON\n', 400)
  }
  const fields = [['host', [call.host]] as const, ...call.header]
  const headers = Object.fromEntries(fields.map(([name, values]) => [name.toLowerCase(), values.join(', ')]))
  const added = [sent].flat().filter(isRecord)
  if (added.length === 0) return call.text('the body must be an object, or a list of objects\n', 400)
  const entries = added.map(entry => ({ ...entry, log_req_headers: headers }) as JsonObject)
  let isFull = false
  await logs.update(key, (log = { entries: [] }) => {
    const all = [...log.entries, ...entries]
    isFull = all.length > MAX_ENTRIES || JSON.stringify(all).length > MAX_LOG_BYTES
    return isFull ? log : { entries: all }
  })
  return isFull ? call.text('the log is full\n', 413) : call.send(TYPE, '')
}
