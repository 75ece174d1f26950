/** Looks at what a server would be, without being one: nothing listens, nothing is fetched, no file is written. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Services } from '../server/services.ts'
import type { Terminal } from './terminal.ts'

/** Variables that make a server read or write beside its plugins and their files. */
const REACHING_OUT = ['SVC_USAGE_FILE', 'SVC_SHARED_MODE', 'SVC_REQUIRE_KEY', 'SVC_KEY_REGISTRY', 'SVC_QUOTA_STORE']

/** Builds all plugins as a start with this configuration would, calls `look`, and lets go of everything. */
export async function inspect<T>(
  { environment, workingDirectory }: Terminal,
  config: string | undefined,
  look: (services: Services) => T | Promise<T>,
): Promise<T> {
  const { openServices } = await import('../server/services.ts')
  const certificates = await mkdtemp(join(tmpdir(), 'svc-look-'))
  const quiet = Object.fromEntries(Object.entries(environment).filter(([name]) => !REACHING_OUT.includes(name)))
  try {
    const services = await openServices({
      workingDirectory,
      configArgument: config,
      environment: {
        ...quiet,
        OTEL_SDK_DISABLED: 'true',
        SVC_LOG_LEVEL: 'off',
        SVC_TLS_CERT: join(certificates, 'server.crt'),
        SVC_TLS_KEY: join(certificates, 'server.key'),
      },
    })
    try {
      await services.host.start()
      return await look(services)
    } finally {
      await services.host.close()
      await services.close()
    }
  } finally {
    await rm(certificates, { recursive: true, force: true })
  }
}
