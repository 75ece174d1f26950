/** Starts the service: loads the stored mocks, and synchronizes them with the files. */
import { keyOfSession, memoryBounds, SessionMemories, type SessionMemory } from '../exchange/session-memory.ts'
import { StateUnavailable, type Channel, type Store, type Svc } from 'svc/plugin'
import { boundsFor, type Bounds } from '../bounds.ts'
import { Checker } from '../check/checker.ts'
import type { MockRecord } from '../management/mock.ts'
import { documentBounds, recordBounds } from '../management/mock-limits.ts'
import { DocumentTexts } from '../management/document-text.ts'
import { MockStore } from '../management/mock-store.ts'
import { Registry } from '../management/registry.ts'
import { EPOCH_BOUNDS, StoreEpoch } from '../management/store-epoch.ts'
import type { MocksSection } from '../management/section.ts'
import type { Variables } from '../variables.ts'
import type { Service } from '../management/service.ts'
import { CallbackDelivery } from '../exchange/callback-delivery.ts'
import { countBounds, RequestCounts } from '../exchange/request-counts.ts'
import { Traffic, trafficBounds, type CapturedRequest } from '../exchange/traffic.ts'
import { ruleLimits } from '../definition/definition.ts'
import { readRules } from '../rules/rule.ts'
import { readSources, type SourceEntry } from './sources.ts'
import { syncSources } from './sync.ts'

/** How long a write waits for other replicas to compile a mock, in milliseconds. */
const ANNOUNCE_MS = 10_000
/** How long a reader of counts waits for what other replicas have counted, in milliseconds. */
const LOOK_MS = 250

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
  const records = svc.state<MockRecord>('mocks', recordBounds(bounds))
  const log = svc.eventLog<CapturedRequest>('traffic', { ...trafficBounds(bounds), of: records as Store<unknown> })
  const traffic = new Traffic(log, bounds)
  const looks = svc.channel<object, void>('counts', { on: () => counts.flush() })
  const counts = new RequestCounts(
    svc.state<number>('request-counts', countBounds(bounds)),
    registry.pendingCounts,
    () => looks.tell({}, { waitMs: LOOK_MS }),
  )
  svc.whenClosed(() => counts.flush())

  const refresh = (name: string): Promise<void> =>
    mocks.refresh(name).catch((error: unknown) => {
      // A change of the kind `reset` follows when the store is back.
      if (error instanceof StateUnavailable) return
      svc.reportLoadError({ at: 'mocks', message: `the mock "${name}" can't be served: ${(error as Error).message}` })
    })
  const changes: Channel<{ name: string }, void> = svc.channel('changes', {
    on: ({ name }, from) => (from === changes.replica ? undefined : refresh(name)),
  })
  const mocks = new MockStore({
    records,
    documents: svc.state<string>('documents', documentBounds(bounds)),
    registry,
    announce: async name => void (await changes.tell({ name }, { waitMs: ANNOUNCE_MS })),
    clearTraffic: async name => {
      await traffic.clear(name, null)
      await counts.clear(name)
    },
    forget: async name => {
      await counts.clear(name)
      await memories.clear(name, null)
    },
  })
  // A replica that missed a message follows the store.
  svc.whenClosed(
    records.subscribe(change => {
      if (change.kind !== 'reset') return void refresh(change.key)
      refreshAll().catch((error: unknown) => {
        if (!(error instanceof StateUnavailable)) svc.log.error('the mocks could not be read', { error })
      })
    }),
  )
  const epoch = new StoreEpoch(
    svc.state<string>('epoch', EPOCH_BOUNDS),
    svc.shared('known-epoch', () => ({ epoch: null })),
  )
  const refreshAll = async (): Promise<void> => {
    if (await epoch.hasChanged()) await mocks.restore()
    for (const name of await mocks.names()) await refresh(name)
  }

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
  const { errors, ...synchronized } = await syncSources(registry, mocks, sources)
  registry.lastSync = synchronized
  for (const error of errors) svc.reportLoadError(error)
  for (const entry of sources.entries) adviseOn(entry, svc, bounds)
  await refreshAll()
  svc.use('testing.resets').register({
    name: 'mocks',
    async reset(session) {
      let removed = await memories.reset(session === null ? null : keyOfSession(session))
      for (const name of registry.names()) removed += await traffic.clear(name, session?.label ?? null)
      return removed
    },
  })
  return {
    svc,
    registry,
    mocks,
    memories,
    traffic,
    counts,
    texts: new DocumentTexts(svc.budgets),
    callbacks: new CallbackDelivery(svc),
  }
}

/** Shows the present spelling of rules whose conditions are in the older one. */
function adviseOn({ given, at, file }: SourceEntry, svc: Svc<MocksSection, Variables>, bounds: Bounds): void {
  const read = readRules(given.rules, ruleLimits({ bounds, maxDelayMs: svc.config.maxDelayMs }))
  // What is wrong is reported when the mock is compiled.
  if ('problem' in read) return
  for (const [index, { translated }] of read.rules.entries())
    if (translated !== null)
      svc.reportAdvice({
        ...(at === null && file !== null ? { file } : {}),
        at: at === null ? null : `${at}.rules[${index}]`,
        message: 'the conditions of this rule are in an older spelling, which stays valid',
        remedy: `write ${JSON.stringify(translated)}`,
      })
}
