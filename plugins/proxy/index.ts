/** The plugin `proxy`: forwards requests to upstream services, and records and replays their responses. */
import { definePlugin } from 'svc/plugin'
import { registerIndex } from 'svc/toolkit'
import { MAX_UPSTREAMS, optionsSchema, type UpstreamOptions } from './config/options.ts'
import type {} from '../import/types.ts'
import { harKind, vcrKind } from './import/kinds.ts'
import { createUpstreams } from './config/upstream.ts'
import { Proxy, type Modes } from './proxy.ts'
import { registerForwardStep } from './forward-step.ts'
import { registerRoutes } from './routes.ts'
import { registerTaps, Taps } from './taps.ts'
import type {} from './types.ts'

const HOUR_MS = 3_600_000

export default definePlugin<UpstreamOptions[]>({
  title: 'Recording proxy',
  description: 'Forwards requests to upstream services, records their responses and replays them with their timing.',
  paths: ['/proxy', '/_svc/proxy'],
  options: optionsSchema,
  uses: ['import'],
  exposes: ['X-Svc-Proxy', 'Proxy-Status'],
  categories: [{ name: 'Recording proxy', rank: 240 }],
  async register(app, svc) {
    for (const kind of [harKind, vcrKind]) svc.use('import.kinds')?.register(kind)
    let opened: Proxy | null = null
    if (!svc.config.publicMode) {
      const taps = svc.shared(
        'taps',
        () => new Taps(),
        all => all.close(),
      )
      svc.offer('proxy.taps', taps)
      registerTaps(app, svc, taps, () => opened)
    }
    const upstreams = createUpstreams(svc)
    const hasUpstreams = upstreams.length > 0
    registerIndex(app, svc, {
      path: '/proxy',
      category: 'Recording proxy',
      summary: 'List the endpoints of the recording proxy',
      ...(hasUpstreams ? { links: { upstreams: '/_svc/proxy' } } : { hint: 'no upstreams: add proxy to svc.yaml' }),
    })
    registerForwardStep(svc, () => opened)
    if (!hasUpstreams) return
    const modes = svc.replicated<Modes>('modes', { initial: () => ({}) })
    const proxy = new Proxy(svc, upstreams, {
      modes,
      counts: svc.state<number>('counts', { maxCount: 3 * MAX_UPSTREAMS, evict: 'idle' }),
      positions: svc.state<number>('positions', {
        maxCount: 20_000,
        maxPerGroup: 5000,
        ttlMs: HOUR_MS,
        ttlFrom: 'use',
        evict: 'idle',
      }),
      writes: svc.shared('writes', () => new Map<string, Promise<unknown>>()),
    })
    opened = proxy
    // Modes that the control plane has set end with the next generation, not with the start of another replica.
    const generations = svc.shared('generations', () => ({ count: 0 }))
    const isReload = generations.count++ > 0
    svc.whenRegistered(async () => {
      if (isReload) await modes.update(() => ({}))
    })
    svc.use('testing.resets').register({ name: 'proxy', reset: session => proxy.reset(session?.key ?? null) })
    svc.whenClosed(() => proxy.close())
    await proxy.load()
    registerRoutes(app, svc, proxy)
  },
})
