/**
 * svc as it is measured: with everything enabled, including the access log at info; on one core, unless `isPinned` is
 * false.
 */
import { join } from 'node:path'
import { startCommand, type Measured } from './process.ts'

export function startProduct(env: Record<string, string> = {}, isPinned = true): Promise<Measured> {
  const own = {
    SVC_HTTP_PORT: '0',
    SVC_HTTPS_PORT: '0',
    SVC_GRPC_PORT: '0',
    SVC_WATCH: 'false',
    SVC_LOG_LEVEL: 'info',
    SVC_BODY_LIMIT: String(2 * 1024 * 1024),
  }
  return startCommand(
    [process.execPath, '--max-semi-space-size=64', join(import.meta.dirname, '..', 'bin', 'svc.mjs')],
    { ...own, ...env },
    isPinned,
  )
}
