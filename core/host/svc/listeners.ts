/** Implements `svc.listeners` for one plugin in one generation. */
import { resolve } from 'node:path'
import { fingerprintPath } from '../discovery.ts'
import { openPortOf, type PortUse } from '../../http/ports/wanted.ts'
import type { OpenPort, SvcListeners } from '../../contract/listeners.ts'
import type { BuildContext, PluginFacts } from './svc.ts'

export function createSvcListeners({ name, section }: PluginFacts, build: BuildContext): SvcListeners {
  const resolvePath = (path: string): string => resolve(build.configFolder, path)
  function add(use: PortUse): OpenPort {
    const { settings } = use
    if ('tls' in settings && typeof settings.tls === 'object')
      for (const path of [settings.tls.cert, settings.tls.key, settings.tls.client_ca])
        if (path !== undefined) build.watched.set(resolvePath(path), fingerprintPath(resolvePath(path)))
    const added = build.generation.ports.add(name, use, { section, resolve: resolvePath })
    if ('port' in added) return openPortOf(added.port)
    build.loadErrors.push(build.locate(name, added.problem))
    return () => null
  }
  return {
    tcp: (settings, accept) => add({ kind: 'tcp', settings, accept }),
    udp: (settings, receive) => add({ kind: 'udp', settings, receive }),
    http: settings => add({ kind: 'http', settings }),
  }
}
