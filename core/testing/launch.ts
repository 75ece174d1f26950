/** Starts a server in this process for a test, on free ports and with its files in a temporary folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { KnownCode } from '../host/inventory.ts'
import { startServer, type Server, type ServerOptions } from '../server/server.ts'
import { checkTestOptions, describeProblems } from './test-options.ts'
import { connect } from './client.mjs'
import type { TestServer, TestServerOptions } from './types.ts'

/** Additional options for the tests of svc itself. */
export interface LaunchOptions
  extends TestServerOptions,
    Pick<ServerOptions, 'builtinFolder' | 'shutdownTimes' | 'registerTimes' | 'states'> {
  /** Folder of the files. The caller removes it. Default: a temporary one. */
  folder?: string
}

/** Options that only the tests of svc itself have. */
const OWN_OPTIONS = ['builtinFolder', 'shutdownTimes', 'registerTimes', 'states', 'folder']

const ENVIRONMENT = {
  SVC_HOST: '127.0.0.1',
  SVC_HTTP_PORT: '0',
  SVC_HTTPS_PORT: '0',
  SVC_GRPC_PORT: '0',
  SVC_WATCH: 'false',
  SVC_LOG_LEVEL: 'warn',
  SVC_INSTANCE_ID: 'test-1',
  SVC_GIT_SHA: 'test',
}
/** In milliseconds. Short, because a test waits for its own requests. */
const SHUTDOWN_TIMES = { drain: 200, cut: 200, closing: 500 }

/** The servers of a test file share plugin code, so that it is loaded once. */
const knownCode: KnownCode = { definitions: new Map(), schemas: new WeakMap(), isShared: true }
/** What is known of the built-in plugins of the product, which no test changes. */
const fingerprints = new Map<string, string>()

/** Rejects if the options are wrong or contradict each other, or the HTTP port can't be bound. */
export async function launch(options: LaunchOptions = {}): Promise<TestServer & Server> {
  const {
    packages = [],
    env,
    builtinFolder,
    registerTimes,
    states,
    strictState = true,
    allowProblems = options.yaml !== undefined,
    shutdownTimes = SHUTDOWN_TIMES,
  } = options
  checkTestOptions(options, OWN_OPTIONS)
  const yaml = yamlOf(options)
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'svc-test-')))
  const lines: string[] = []
  const clean = async (): Promise<void> => {
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
  try {
    if (yaml !== undefined) await writeFile(join(folder, 'svc.yaml'), yaml)
    const server = await startServer({
      // Packages are resolved from the working directory of the test.
      workingDirectory: packages.length > 0 ? process.cwd() : folder,
      configArgument: yaml === undefined ? undefined : join(folder, 'svc.yaml'),
      environment: {
        ...ENVIRONMENT,
        SVC_TLS_CERT: join(folder, 'certs', 'server.crt'),
        SVC_TLS_KEY: join(folder, 'certs', 'server.key'),
        ...env,
      },
      logStream: { write: line => void lines.push(line) },
      knownCode: builtinFolder === undefined ? { ...knownCode, fingerprints } : knownCode,
      strictState,
      ...(states && { states }),
      builtinFolder,
      shutdownTimes,
      ...(registerTimes && { registerTimes }),
    })
    let stopped: Promise<void> | undefined
    const problems = allowProblems ? [] : server.host.loadErrors
    if (problems.length > 0) {
      await server.stop()
      throw new Error(describeProblems(problems))
    }
    const stop = (): Promise<void> => (stopped ??= server.stop().finally(clean))
    const url = `http://127.0.0.1:${server.ports.http}`
    return {
      ...connect(url, env?.SVC_ADMIN_TOKEN === undefined ? {} : { token: env.SVC_ADMIN_TOKEN }),
      ...server,
      folder,
      stop,
      get lines() {
        server.flush()
        return lines
      },
      url,
      httpsUrl: `https://localhost:${server.ports.https}`,
      grpcAddress: `127.0.0.1:${server.ports.grpc}`,
      plugins: () => server.host.records(),
      problems: () => server.host.loadErrors,
      reload: () => server.host.reload(),
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await clean()
    throw error
  }
}

/** The text of `svc.yaml`; undefined for no file. It is written as JSON, which is valid YAML. */
function yamlOf({ folders, packages, plugins, settings, yaml }: LaunchOptions): string | undefined {
  const isSplit = [folders, packages, plugins, settings].some(option => option !== undefined)
  if (!isSplit) return yaml
  if (yaml !== undefined)
    throw new Error(
      'yaml is the complete text of svc.yaml and cannot be combined with folders, packages, plugins or settings',
    )
  return JSON.stringify(
    {
      ...settings,
      plugins: {
        enable: plugins ?? [],
        dirs: (folders ?? []).map(folder => resolve(folder)),
        packages: packages ?? [],
      },
    },
    null,
    2,
  )
}
