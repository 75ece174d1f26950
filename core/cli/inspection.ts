/** Builds all plugins without starting a server: opens no port, fetches nothing and writes no file. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Services } from '../server/services.ts'
import type { Terminal } from './terminal.ts'

/** Variables that make a server use other files or the network. They are ignored. */
const IGNORED_VARIABLES = [
  'SVC_USAGE_FILE',
  'SVC_SHARED_MODE',
  'SVC_REQUIRE_KEY',
  'SVC_KEY_REGISTRY',
  'SVC_QUOTA_STORE',
  'SVC_STATE_STORE',
  'SVC_WORKERS',
]

/** Builds all plugins with this configuration, calls `inspectServices`, and closes everything. */
export async function inspect<T>(
  { environment, workingDirectory, bundler, knownCode }: Terminal,
  config: string | undefined,
  inspectServices: (services: Services) => T | Promise<T>,
): Promise<T> {
  const { openServices } = await import('../server/services.ts')
  const certificates = await mkdtemp(join(tmpdir(), 'svc-inspect-'))
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !IGNORED_VARIABLES.includes(name)),
  )
  try {
    const services = await openServices({
      workingDirectory,
      bundler,
      knownCode,
      configArgument: config,
      environment: {
        ...variables,
        OTEL_SDK_DISABLED: 'true',
        SVC_LOG_LEVEL: 'off',
        SVC_TLS_CERT: join(certificates, 'server.crt'),
        SVC_TLS_KEY: join(certificates, 'server.key'),
      },
    })
    try {
      await services.host.start()
      return await inspectServices(services)
    } finally {
      await services.host.close()
      await services.close()
    }
  } finally {
    await rm(certificates, { recursive: true, force: true })
  }
}
