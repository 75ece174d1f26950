/** `whoami.Whoami`, the service of Traefik's whoami. */
import { networkInterfaces } from 'node:os'
import { type CallContext, hostnameOf, type Methods, replies } from '../call.ts'

/** Shown in public mode instead of the addresses of the machine. */
const PUBLIC_ADDRESSES = ['127.0.0.1']

export function whoamiMethods({ svc }: CallContext): Methods {
  return {
    Whoami: replies(() => ({
      hostname: hostnameOf(svc),
      iface: svc.config.publicMode ? PUBLIC_ADDRESSES : addresses(),
    })),
    Bench: replies(() => ({ data: 1 })),
  }
}

function addresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => address))
}
