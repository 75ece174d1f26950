/** svc as plugin authors use it: installed in the `node_modules` of a folder outside the project. */
import { execFile, type ExecFileException } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { builtPackage } from './built-package.ts'
import { installLocked } from './locked-packages.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

export const ROOT = join(import.meta.dirname, '..', '..')
const MODULES = realpathSync(join(ROOT, 'node_modules'))

export interface Installation {
  /** The author's folder; `node_modules/svc` is the package. */
  folder: string
  /** Paths of the packages installed with svc; empty if the checkout's packages are used. */
  packages: string[]
  /** Runs a command in the folder or one below it; `svc` and `tsc` are on the PATH. */
  run(command: string, args: string[], options?: { cwd?: string; env?: Record<string, string> }): Promise<Run>
}
export interface Run {
  code: number
  output: string
  errors: string
}

/**
 * Unpacks what is published (as it was built, or a tarball), with the dependencies of the checkout and the packages
 * that the author has installed (`packages`). With `isAlone`, only svc's own dependencies are installed.
 */
export async function install(
  t: Test,
  { packages = [], tarball, isAlone = false }: { packages?: string[]; tarball?: string; isAlone?: boolean } = {},
): Promise<Installation> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-author-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'node_modules', 'svc')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "author", "private": true, "type": "module" }\n')
  if (tarball === undefined) cpSync(await builtPackage(t), home, { recursive: true })
  else await run('tar', ['xzf', tarball, '-C', home, '--strip-components', '1'], folder)
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const own = isAlone ? installLocked(Object.keys(dependencies), ROOT, folder) : []
  if (!isAlone) symlinkSync(MODULES, join(home, 'node_modules'))
  for (const name of isAlone ? packages : ['@types/node', ...packages]) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(MODULES, name), join(folder, 'node_modules', name))
  }
  const bin = join(folder, 'node_modules', '.bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(join('..', 'svc', 'bin', 'svc.mjs'), join(bin, 'svc'))
  const path = [bin, dirname(process.execPath), join(MODULES, '.bin'), process.env.PATH].join(delimiter)
  return {
    folder,
    packages: own,
    run: (command, args, { cwd = '.', env } = {}) =>
      run(command, args, resolve(folder, cwd), { PATH: path, HOME: folder, ...WITHOUT_REGISTRY, ...env }),
  }
}

/** npm looks for a newer version of itself when it finds no settings, and waits for minutes if nobody responds. */
const WITHOUT_REGISTRY = { npm_config_offline: 'true', npm_config_update_notifier: 'false' }
/** Less than the time that the file has, so that the report names the command that hangs. */
const TIMEOUT_MS = 300_000
/** How long the output is read after the command has ended: processes that it leaves behind may keep it open. */
const LAST_OUTPUT_MS = 5000

function run(command: string, args: string[], cwd: string, env?: Record<string, string>): Promise<Run> {
  return new Promise((done, fail) => {
    const child = execFile(
      command,
      args,
      { cwd, env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 },
      (error: ExecFileException | null, output, errors) => {
        if (error?.killed) fail(new Error(`${command} ${args.join(' ')} did not end: ${output}${errors}`))
        // A string is the reason why the command could not run.
        else if (typeof error?.code === 'string') fail(error)
        else done({ code: error === null ? 0 : (error.code ?? 1), output, errors })
      },
    )
    child.once('exit', () => {
      const close = (): void => [child.stdout, child.stderr].forEach(stream => stream?.destroy())
      const timer = setTimeout(close, LAST_OUTPUT_MS)
      child.once('close', () => clearTimeout(timer))
    })
  })
}
