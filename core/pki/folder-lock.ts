/** Lets only one process at a time create the files of the demo PKI, if several start with the same folder. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './pem-files.ts'

const LOCK_NAME = '.svc-pki.lock'
const POLL_MS = 20

/**
 * Runs `work` while no other process does so with this folder, which is created if it is missing. Without the lock,
 * replicas that start together on a shared volume would each create a CA and reject each other's client certificates.
 * The holder touches its lock while it works. A lock that was not touched for `staleAfterMs` was left by a process that
 * died, and is replaced. A folder that is not writable needs no lock.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>, staleAfterMs = 3000): Promise<T> {
  const lock = join(folder, LOCK_NAME)
  const mark = join(lock, randomUUID())
  if (!(await acquire(folder, lock, mark, staleAfterMs))) return work()
  const heartbeat = setInterval(() => touch(lock), Math.max(1, staleAfterMs / 4))
  heartbeat.unref()
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    await release(lock, mark)
  }
}

async function acquire(folder: string, lock: string, mark: string, staleAfterMs: number): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true })
    // Compared only with itself, because the clocks of machines that share a volume differ.
    let seen = ''
    let seenAt = performance.now()
    while (!(await isCreated(lock))) {
      const state = await stateOf(lock)
      if (state !== seen) {
        seen = state
        seenAt = performance.now()
      } else if (performance.now() - seenAt >= staleAfterMs) await removeLock(lock)
      await sleep(POLL_MS)
    }
    await writeFile(mark, '')
    return true
  } catch {
    return false
  }
}

/** A folder rather than a file: creating one is atomic, even on network file systems. */
async function isCreated(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Changes with every touch and every new lock. */
async function stateOf(lock: string): Promise<string> {
  const facts = await stat(lock).catch(() => null)
  return facts === null ? '' : `${facts.ino} ${facts.mtimeMs}`
}

/** If several processes remove an abandoned lock at once, only one succeeds. */
async function removeLock(lock: string): Promise<void> {
  const away = `${lock}.${randomUUID()}`
  await rename(lock, away).catch(() => {})
  await rm(away, { recursive: true, force: true })
}

/** Removes the lock of this process. A lock that was replaced in the meantime has another mark and is kept. */
async function release(lock: string, mark: string): Promise<void> {
  await rm(mark, { force: true }).catch(() => {})
  await rmdir(lock).catch(() => {})
}

function touch(lock: string): void {
  const now = new Date()
  utimes(lock, now, now).catch(() => {})
}
