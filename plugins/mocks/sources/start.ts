/** Starts the service: reuses the registry of the previous generation, and synchronizes it with the files. */
import type { Svc } from 'svc/plugin'
import { boundsFor } from '../bounds.ts'
import { Checker } from '../check/checker.ts'
import { Registry } from '../management/registry.ts'
import type { MocksSection } from './section.ts'
import type { Variables } from '../variables.ts'
import type { Service } from '../management/service.ts'
import { memoryBounds, SessionMemories, type SessionMemory } from '../exchange/session-memory.ts'
import { readSources } from './sources.ts'
import { syncSources } from './sync.ts'

/** Reads the sources. An invalid source is reported as a load error; the others are served. */
export async function startService(svc: Svc<MocksSection, Variables>): Promise<Service> {
  const { config } = svc
  const bounds = boundsFor(config.publicMode)
  const registry = svc.shared(
    'registry',
    () =>
      new Registry({
        bounds,
        maxDelayMs: config.maxDelayMs,
        publicMode: config.publicMode,
        checker: new Checker(svc.folder),
      }),
  )
  const memories = new SessionMemories(svc.state<SessionMemory>('sessions', memoryBounds(bounds)), bounds)
  const sources = await readSources({
    list: svc.options,
    served: svc.options.served ?? [],
    configFile: config.configFile,
    dir: svc.variables.dir,
    sample: svc.variables.sample,
    workingDirectory: process.cwd(),
    bounds,
    watch: path => svc.watch(path),
  })
  const { errors, ...changes } = await syncSources(registry, sources, name => memories.clear(name, null))
  registry.lastSync = changes
  for (const error of errors) svc.reportLoadError(error)
  return { svc, registry, memories }
}
