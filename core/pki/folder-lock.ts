/** Lets one process at a time make the files of the demo PKI, when several start with one folder. */
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './pem-files.ts'

const lockName = '.svc-pki.lock'
const pollMs = 20

/**
 * Runs `work` while no other process does with this folder, which is made when it is missing. Without it, replicas
 * that start together on a shared volume would each make a CA, and refuse one another's client certificates. A lock
 * that is still there after `patienceMs` was left by a process that died (making everything takes 0.1 s) and is taken
 * over. In a folder that cannot be written there is nothing to guard.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>, patienceMs = 3000): Promise<T> {
  const lock = join(folder, lockName)
  if (!await acquire(folder, lock, performance.now() + patienceMs)) return work()
  try {
    return await work()
  } finally {
    await rmdir(lock).catch(() => {})
  }
}

async function acquire(folder: string, lock: string, deadline: number): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true })
    while (!await isMade(lock)) {
      if (performance.now() >= deadline) return true
      await sleep(pollMs)
    }
    return true
  } catch {
    return false
  }
}

/** A folder rather than a file: making one is atomic, on network file systems too. */
async function isMade(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}
