/** Finds the captured entry of a request that the console sent. */
import { ApiError, callJson } from '../instance/api.ts'
import { CONSOLE_HEADER, type Sent } from '../instance/gateway.ts'
import { settings } from '../shell/storage.ts'
import { headerOf, type Entry } from '../protocol/http.ts'

const TRIES = 4
const PAUSE_MS = 150

/** The entry with its request ID or, if a gateway replaced the ID, with its console header. Null: not found. */
export async function findArrival(sent: Sent, signal?: AbortSignal): Promise<Entry | null> {
  const session = settings.value.session
  const query = session === '' ? '' : `?session=${encodeURIComponent(session)}`
  const options = signal ? { signal } : {}
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      return await callJson<Entry>(`_svc/requests/${encodeURIComponent(sent.requestId)}${query}`, options)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error
    }
    const { requests } = await callJson<{ requests: Entry[] }>(
      `_svc/requests${query === '' ? '?' : `${query}&`}limit=50`,
      options,
    )
    const found = requests.find(({ headers }) => headerOf(headers, CONSOLE_HEADER) === sent.id)
    if (found) return found
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }
  return null
}
