/** Runs a package's command with Node 22 from the package `node`, which some official tools need. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** Output and exit code of a command. */
export interface CommandRun {
  code: number | null
  output: string
  errors: string
}

/** The script of a package's command. */
export function commandOf(packageName: string, command: string): string {
  // Not every package exports its package.json, so it is read from disk.
  const folder = require.resolve
    .paths(packageName)
    ?.map(path => join(path, packageName))
    .find(path => isFolderOfPackage(path))
  if (folder === undefined) throw new Error(`the package ${packageName} is not installed`)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return join(folder, bin[command] ?? '')
}

function isFolderOfPackage(path: string): boolean {
  try {
    return readFileSync(join(path, 'package.json')).length > 0
  } catch {
    return false
  }
}

/** Runs a script to completion, with a temporary home folder. */
export async function runWithNode22(script: string, args: string[]): Promise<CommandRun> {
  const home = mkdtempSync(join(tmpdir(), 'svc-node22-'))
  const node = join(dirname(require.resolve('node/package.json')), 'bin', 'node')
  const child = spawn(node, [script, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  rmSync(home, { recursive: true, force: true })
  return { code, output, errors }
}
