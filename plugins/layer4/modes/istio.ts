/** The mode `istio`: the TCP and UDP echo of Istio's integration tests. */
import type { ModeContext, ModeDefinition } from './mode.ts'

export const istio: ModeDefinition = {
  banner: 'server-first-protocol\n',
  connection(context) {
    let hasLines = false
    return {
      data(bytes, { send }) {
        if (!hasLines) send(linesOf(context))
        hasLines = true
        send(bytes)
      },
      end({ send, end }) {
        if (!hasLines) send(linesOf(context))
        end()
      },
    }
  },
  datagram: (_data, context) => Buffer.from(linesOf(context)),
}

function linesOf({ options, facts, instance }: ModeContext): string {
  const set = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [`${name}=${value}`])
  const lines = [
    'StatusCode=200',
    ...set('Cluster', options.cluster),
    ...set('IstioVersion', options.istio_version),
    ...set('Namespace', options.namespace),
    `ServiceVersion=${options.version ?? ''}`,
    `ServicePort=${facts.listener.port}`,
    `IP=${facts.clientIp}`,
    'Proto=TCP',
    ...(facts.proxy === null ? [] : [`ProxyProtocol=${facts.proxy.version}`]),
    `Hostname=${instance.hostname}`,
  ]
  return `${lines.join('\n')}\n`
}
