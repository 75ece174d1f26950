/**
 * Folders with a manifest of their own: what only some tiers need is not installed with svc. `npm ci` runs there when a
 * tier or a script needs it, and it is missing or older than its lock file.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** By the beginning of the names of their test files. */
const FOLDERS = { 'sdk/': 'test/sdk', 'browser/': 'test/browser' } as const

/** The folder whose packages a test file imports, from the root of the project; empty for the root itself. */
export function manifestOf(testFile: string): string {
  return Object.entries(FOLDERS).find(([prefix]) => testFile.startsWith(prefix))?.[1] ?? ''
}

/** Installs the packages of a folder, if necessary. Throws if that fails. */
export function ensureInstalled(folder: string): void {
  if (folder === '') return
  const home = join(ROOT, folder)
  if (timeOf(join(home, 'node_modules', '.package-lock.json')) >= timeOf(join(home, 'package-lock.json'))) return
  process.stdout.write(`installing the packages of ${folder}\n`)
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status } = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`npm ci failed in ${folder}`)
}

function timeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
