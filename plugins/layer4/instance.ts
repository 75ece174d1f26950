/** What modes know of the instance. In public mode, the machine stays hidden. */
import { hostname, networkInterfaces } from 'node:os'
import type { OpenPort, Svc } from 'svc/plugin'
import type {} from '../httpbin/types.ts'
import type { Instance } from './modes/mode.ts'
import type { Layer4Options } from './options.ts'

export interface InstanceParts {
  /** Of the listeners, by name. */
  ports: ReadonlyMap<string, OpenPort>
  /** Names of the listeners, in the order of the section. */
  names: readonly string[]
}

export function createInstance(svc: Svc<Layer4Options>, { ports, names }: InstanceParts): Instance {
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
    securedOf: name => names[svc.options.listeners.findIndex(({ tls_port_of: plain }) => plain === name)] ?? null,
  }
}
