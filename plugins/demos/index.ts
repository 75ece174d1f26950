/** The plugin `demos`: what a gateway does, shown step by step and judged on both sides. */
import { join } from 'node:path'
import { definePlugin } from 'svc/plugin'
import type {} from '../grpc/types.ts'
import type {} from '../probe/types.ts'
import type {} from '../proxy/types.ts'
import { baseOf, ownPaths, readCatalog, type DemoCatalog } from './catalog/catalog.ts'
import { demoCommand } from './command/command.ts'
import { DEMO_SCHEMA } from './file/schema.ts'
import { registerDemos } from './http/demo-routes.ts'
import { registerRuns } from './http/run-routes.ts'
import { addTools } from './http/tools.ts'
import { DEMOS_OPTIONS, type DemosSection } from './options.ts'
import type { DemoFiles } from './types.ts'

export default definePlugin<DemosSection>({
  title: 'Guided demos',
  description:
    'Shows what a gateway does, step by step, and says whether it was seen: retries, limits, timeouts and more.',
  paths: ['/_svc/demos'],
  buildsOn: ['probe'],
  uses: ['grpc', 'proxy'],
  options: DEMOS_OPTIONS,
  documents: { demo: DEMO_SCHEMA },
  command: demoCommand(import.meta.dirname),
  register(app, svc) {
    const files = createFiles()
    svc.offer('demos.files', files)
    const base = baseOf(svc.config.configFile, process.cwd())
    for (const path of ownPaths(svc.options, base)) svc.watch(path)
    // Reading those that come with svc is a noticeable part of the start, so they are read when somebody asks for demos.
    let reading: Promise<DemoCatalog> | null = null
    const catalog = (): Promise<DemoCatalog> =>
      (reading ??= readCatalog({ pluginFolder: svc.folder, added: files.list(), section: svc.options, base }))
    svc.whenRegistered(async () => {
      for (const folder of files.list()) svc.watch(folder)
      const isOwnAlone = files.list().length === 0 && ownPaths(svc.options, base).length === 0
      const problems = isOwnAlone ? [] : (await catalog()).problems
      for (const { file, problem } of problems)
        svc.reportLoadError({
          file,
          at: problem.at === '' ? null : problem.at,
          line: problem.line,
          message: problem.details,
          remedy: problem.remedy ?? 'correct the file, or remove it',
        })
    })
    const targets = svc.use('probe.targets')!
    const origins = targets.read(svc.options.targets ?? [], (index, message, remedy) =>
      svc.reportLoadError({ at: `targets[${index}]`, message, remedy }),
    )
    registerDemos(app, svc, catalog)
    registerRuns(app, svc, {
      client: svc.use('probe.client')!,
      conversations: svc.use('probe.conversations')!,
      agentsFolder: join(svc.folder, 'agents'),
      grpcDefinitions: async set => svc.use('grpc.services')?.definitions(set),
      taps: svc.use('proxy.taps') ?? null,
      targets,
      origins,
      catalog,
    })
    addTools(svc.use('control.tools'))
  },
})

function createFiles(): DemoFiles {
  const folders: string[] = []
  return {
    add: folder => void folders.push(folder),
    list: () => folders,
  }
}
