/** Programs of this tier: those of `test/programs/package.json`, otherwise those on the PATH. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path'

const FOLDER = resolve(import.meta.dirname, '..')
/** Packages of this tier. */
export const MODULES = join(FOLDER, 'node_modules')
/** Where programs of other registries are put by their clients. */
const OWN = [join(MODULES, '.bin'), join(homedir(), '.cargo', 'bin'), join(homedir(), 'go', 'bin')]
const HOW = 'npm run test:programs installs those of npm'

export interface Program {
  /** Name and version. */
  title: string
  /** For programs that a test keeps running. */
  path: string
  /** Runs it in a folder, with these variables in addition to the usual ones. */
  run(args: string[], options: { cwd: string; env?: Record<string, string> }): Promise<Run>
}

export interface Run {
  code: number
  /** Standard output, then standard error. */
  output: string
}

/** The program of this name or path, or why it is not there, for `skip` of a test. Its version is the first number that `versionArgs` print. */
export function findProgram(name: string, versionArgs: string[] = ['--version']): Program | string {
  const places = isAbsolute(name) ? [''] : [...OWN, ...(process.env.PATH ?? '').split(delimiter)]
  const path = places.map(folder => (folder === '' ? name : join(folder, name))).find(file => existsSync(file))
  if (path === undefined) return `no ${name} here (${HOW})`
  const version = /\d+\.\d+[\w.-]*/.exec(execFileSync(path, versionArgs, { encoding: 'utf8', cwd: FOLDER }))?.[0]
  return {
    title: `${basename(name)} ${version ?? 'of unknown version'}`,
    path,
    run: (args, options) => run(path, args, options),
  }
}

/** Runs the program at a path. */
export function run(
  path: string,
  args: string[],
  { cwd, env }: { cwd: string; env?: Record<string, string> },
): Promise<Run> {
  return new Promise((done, fail) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 256 * 1024 * 1024 }
    execFile(path, args, options, (error, output, errors) => {
      if (typeof error?.code === 'string') fail(error)
      else done({ code: error === null ? 0 : Number(error.code ?? 1), output: output + errors })
    })
  })
}
