/** svc as it is measured: with everything enabled, including the access log at info. */
import { join } from 'node:path'
import { startCommand } from './process.ts'
import type { Measured } from './process.ts'

export function startProduct(env: Record<string, string> = {}): Promise<Measured> {
  return startCommand([join(import.meta.dirname, '..', 'bin', 'svc.mjs')], {
    npm_node_execpath: process.execPath,
    SVC_HTTP_PORT: '0',
    SVC_HTTPS_PORT: '0',
    SVC_GRPC_PORT: '0',
    SVC_WATCH: 'false',
    SVC_LOG_LEVEL: 'info',
    SVC_BODY_LIMIT: String(2 * 1024 * 1024),
    ...env,
  })
}
