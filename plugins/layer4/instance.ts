/** What modes know of the instance. In public mode, the machine stays hidden. */
import { hostname, networkInterfaces } from 'node:os'
import type { OpenPort, Svc } from 'svc/plugin'
import type {} from '../httpbin/types.ts'
import type { Instance } from './modes/mode.ts'
import type { Layer4Options } from './options.ts'

/** `ports`: of the listeners, by name. */
export function createInstance(svc: Svc<Layer4Options>, ports: ReadonlyMap<string, OpenPort>): Instance {
  const { publicMode, instanceId } = svc.config
  return {
    hostname: publicMode ? instanceId : hostname(),
    version: svc.instance.version,
    addresses: () =>
      publicMode
        ? ['127.0.0.1']
        : Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => address)),
    deployment() {
      const { namespace = '', ingress = '', service = '', pod = '' } = svc.use('httpbin.deployment')?.() ?? {}
      return { namespace, ingress, service, pod }
    },
    portOf: name => ports.get(name)?.() ?? null,
    securedOf: name => svc.options.listeners.find(({ tls_port_of: plain }) => plain === name)?.name ?? null,
  }
}
