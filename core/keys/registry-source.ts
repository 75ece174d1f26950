/** Fetches the text of a key registry from a file or over HTTP, bounded in size and time. */
import { open } from 'node:fs/promises'
import { boundedFetch, type FetchFailure } from '../toolkit/bounded-fetch.ts'

const MAX_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 10_000
const TOO_LARGE = `larger than ${MAX_BYTES} bytes`

/**
 * `place` is a path or an http(s) URL; `token` is sent as a bearer token. Rejects with a reason that contains no
 * secret.
 */
export function readRegistry(place: string, token: string | null): Promise<string> {
  return isUrl(place) ? fetchText(place, token) : readText(place)
}

export function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place)
}

async function readText(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size > MAX_BYTES) throw new Error(TOO_LARGE)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

async function fetchText(url: string, token: string | null): Promise<string> {
  const target = new URL(url)
  const headers: Record<string, string> = { Accept: 'application/yaml, application/json, */*;q=0.1' }
  if (token !== null) headers.Authorization = `Bearer ${token}`
  else if (target.username !== '')
    headers.Authorization = `Basic ${Buffer.from(`${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`).toString('base64')}`
  target.username = target.password = ''
  const { status, body } = await boundedFetch(target, {
    headers,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    followsRedirects: true,
  }).catch((error: FetchFailure) => {
    if (error.reason === 'too_large') throw new Error(TOO_LARGE)
    // What the system reports about the connection names no secret.
    throw error.cause ?? error
  })
  if (status < 200 || status > 299) throw new Error(`the server responded with status ${status}`)
  return body.toString()
}
