/** Starts the server as a separate process, as `npm start` does. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownBundleCache } from './bundle-cache-argument.ts'
import { until } from './until.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

export interface ServerProcess {
  child: ChildProcess
  folder: string
  /** Everything on standard output and standard error so far. */
  output(): string
  errors(): string
  /** Port of a listener, read from the output. */
  port(label: 'HTTP' | 'HTTPS' | 'gRPC'): Promise<number>
  /** Resolves with exit code and signal. */
  exited: Promise<{ code: number | null; signal: string | null }>
}

export interface StartOptions {
  env?: Record<string, string>
  args?: string[]
  yaml?: string
  /** The working folder, for example that of an earlier process. Default: a temporary folder. */
  folder?: string
  /** Shell commands to run first, such as setting a limit. */
  shell?: string
  /** The launcher of an installed package. Default: that of the checkout. */
  main?: string
  /** An executable that contains Node and svc; it takes no launcher, and no variable but those of `env`. */
  executable?: string
  /** Standard input is a pipe, which the test ends. Default: it is empty. */
  hasInput?: boolean
}

const MAIN = join(import.meta.dirname, '..', '..', 'bin', 'svc.mjs')

/** Starts the server on free ports, in a temporary folder; kills it at the end of the test if it still runs. */
export function startProcess(
  t: Test,
  {
    env = {},
    args = [],

    yaml,
    folder: given,
    shell,
    main = MAIN,
    executable,
    hasInput = false,
  }: StartOptions = {},
): ServerProcess {
  const folder = given ?? mkdtempSync(join(tmpdir(), 'svc-process-'))
  if (yaml !== undefined) writeFileSync(join(folder, 'svc.yaml'), yaml)
  const launcher = executable === undefined ? [...(main === MAIN ? ownBundleCache() : []), main] : []
  const command = [executable ?? process.execPath, ...launcher, ...args]
  const [program, ...programArgs] =
    shell === undefined ? command : ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...command]
  const child = spawn(program!, programArgs, {
    cwd: folder,
    env: {
      ...(executable === undefined ? { PATH: process.env.PATH } : {}),
      SVC_HOST: '127.0.0.1',
      SVC_HTTP_PORT: '0',
      SVC_HTTPS_PORT: '0',
      SVC_GRPC_PORT: '0',
      ...env,
    },
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout!.on('data', chunk => {
    output += chunk
  })
  child.stderr!.on('data', chunk => {
    errors += chunk
  })
  const exited = new Promise<{ code: number | null; signal: string | null }>(resolve =>
    child.on('exit', (code, signal) => resolve({ code, signal })),
  )
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    child,
    folder,
    exited,
    output: () => output,
    errors: () => errors,
    port: async label =>
      Number(
        await until(
          () => new RegExp(`\\b${label} listening on [^\\n]*:(\\d+)`).exec(output)?.[1],
          `${label} listening`,
        ),
      ),
  }
}
