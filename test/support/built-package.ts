/** The package that is published, built once for all files of a run. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ownBundleFolder } from './bundle-cache-argument.ts'
import { until } from './until.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Another file may be building it; all cores may be busy. */
const PATIENCE_MS = 300_000

interface Test {
  teardown(callback: () => unknown): unknown
}

/** The folder of the package, which nobody may change. */
export async function builtPackage(t: Test): Promise<string> {
  const kept = ownBundleFolder()
  const parent = kept === undefined ? mkdtempSync(join(tmpdir(), 'svc-built-')) : dirname(kept)
  if (kept === undefined) t.teardown(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, 'package')
  // The build writes to another folder, which it renames when all is there.
  if (isFirst(join(parent, 'package.begun')))
    await promisify(execFile)(process.execPath, ['--import', 'tsx', 'packing/build.ts', '--out', folder], { cwd: ROOT })
  else await until(() => existsSync(folder), 'the package that another file builds', PATIENCE_MS)
  return folder
}

/** Whether no other process has made this mark. */
function isFirst(mark: string): boolean {
  // The folder of bundles is made when the first one is kept, which may not have happened yet.
  mkdirSync(dirname(mark), { recursive: true })
  try {
    mkdirSync(mark)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
