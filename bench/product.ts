/** The product as it is measured: everything on, the access log at info included. */
import { join } from 'node:path'
import { startServer } from './process.ts'
import type { Measured } from './process.ts'

export function startProduct(env: Record<string, string> = {}): Promise<Measured> {
  return startServer(['--max-semi-space-size=64', join(import.meta.dirname, '..', 'bin', 'svc.mjs')], {
    SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', SVC_WATCH: 'false', SVC_LOG_LEVEL: 'info', SVC_BODY_LIMIT: String(2 * 1024 * 1024), ...env,
  })
}
