/** The core's own extension points, for what few plugins need. */
import type { SvcMediaTypes } from '../../contract/calls.ts'
import type { NotifyHosts } from '../../contract/core-points.ts'
import type { SvcTls } from '../../contract/tls.ts'
import { forPlugin } from '../../contract/plugin.ts'
import { hostList } from '../../toolkit/bounded-fetch.ts'
import { openPortOf } from '../../http/ports/wanted.ts'
import type { Generation } from '../generation.ts'
import type { SharedServices } from './svc.ts'

/** The values of one generation by name; some are made for the plugin that asks. */
export function corePoints(generation: Generation, shared: SharedServices): [point: string, value: unknown][] {
  const tlsOf = (plugin: string): SvcTls => ({
    names: (match, accept) => void generation.tlsNames.push({ match, accept }),
    port(number, accept) {
      const use = { kind: 'handshake', settings: { port: number, at: plugin }, accept } as const
      const added = generation.ports.add(plugin, use, { section: plugin, resolve: path => path })
      if ('problem' in added) throw new Error(added.problem.message)
      return openPortOf(added.port)
    },
  })
  const mediaTypesOf = (plugin: string): SvcMediaTypes => ({
    requests: (match, handler) => void generation.mediaTypeHandlers.push({ plugin, match, handler }),
    admitCall: call => shared.calls.admitCall(call),
    cors: shared.cors,
    follow: request => shared.follow(plugin, request),
  })
  // The section is read after the plugins have registered.
  const notifyHosts: NotifyHosts = { allows: url => hostList(generation.notifyHosts)(url) }
  return [
    ['core.notify-hosts', notifyHosts],
    ['core.responses', generation.responses],
    ['core.tap', shared.tap],
    ['core.tls', { [forPlugin]: tlsOf }],
    ['core.media-types', { [forPlugin]: mediaTypesOf }],
    ['testing.aliases', generation.aliases],
    ['testing.protocols', generation.rules.protocols],
    ['testing.steps', generation.rules.vocabulary.steps],
    ['testing.resets', generation.resets],
    ['testing.verifications', generation.verifications],
  ]
}
