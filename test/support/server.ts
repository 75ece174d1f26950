/** A server of the product for one test: in this process, on free ports, with its files in a temporary folder. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../core/server.ts'
import type { Server, ServerOptions } from '../../core/server.ts'

export interface TestServer extends Server {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** `https://localhost:<port>`, of the demo PKI. */
  httpsUrl: string
  /** Its working directory; removed at the end. */
  folder: string
  /** Lines that it logged. */
  lines: string[]
}

export interface TestServerOptions extends Omit<ServerOptions, 'environment' | 'workingDirectory'> {
  /** Variables beside the free ports. */
  env?: Record<string, string>
  /** Content of `svc.yaml`. */
  yaml?: string
}

/** What a test's teardown needs: `t` of tap. */
interface Test { teardown(callback: () => unknown): unknown }

/** The same plugins are loaded by every server of a test file. */
const knownCode = { doors: new Map(), schemas: new WeakMap(), isShared: true }

/** Starts a server that ends with the test. */
export async function serve(t: Test, { env = {}, yaml, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  if (yaml !== undefined) writeFileSync(join(folder, 'svc.yaml'), yaml)
  const lines: string[] = []
  const server = await startServer({
    workingDirectory: folder,
    environment: { SVC_HOST: '127.0.0.1', SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', SVC_WATCH: 'false', SVC_LOG_LEVEL: 'warn', SVC_INSTANCE_ID: 'test-1', SVC_GIT_SHA: 'test', ...env },
    knownCode,
    logStream: { write: line => void lines.push(line) },
    shutdownTimes: { drain: 200, cut: 200, closing: 500 },
    ...options,
  })
  t.teardown(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return Object.assign(server, {
    url: `http://127.0.0.1:${server.ports.http}`,
    httpsUrl: `https://localhost:${server.ports.https}`,
    folder,
    lines,
  })
}
