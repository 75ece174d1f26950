/** Registers plugins again that failed because the state store was unavailable. */
import type { Host } from '../host/host.ts'
import type { SharedBackend } from '../state/shared-backend.ts'

const FIRST_TRY_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Returns a function that ends it. */
export function recoverPlugins(host: Host, { connection }: SharedBackend): () => void {
  let pauseMs = FIRST_TRY_MS
  let isClosed = false
  let timer: NodeJS.Timeout
  const wait = (): void => {
    timer = setTimeout(() => void look(), pauseMs).unref()
  }
  const look = async (): Promise<void> => {
    if (!host.lacksState) pauseMs = FIRST_TRY_MS
    else if (connection.isUp) {
      pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)
      await host.reload({ force: true })
    }
    if (!isClosed) wait()
  }
  wait()
  return () => {
    isClosed = true
    clearTimeout(timer)
  }
}
