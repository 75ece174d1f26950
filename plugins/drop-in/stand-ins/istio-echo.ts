/** The echo server of Istio's integration tests. */
import {
  fileOf,
  type Given,
  type ListenAddress,
  portsOf,
  present,
  type Sections,
  type StandIn,
  StandInProblem,
  textOf,
} from './stand-in.ts'

const IGNORED = 'svc does not serve it'
const PORTS: Readonly<Record<string, readonly number[]>> = { port: [8080], grpc: [7070], tcp: [9090], udp: [] }
const VERSIONS: Readonly<Record<string, string>> = { '1.2': '1.2', '1.3': '1.3' }

interface Choices {
  tls: Record<string, unknown>
  secured: readonly number[]
  mutual: readonly number[]
  proxied: readonly number[]
}

function minVersion(given: Given): string | undefined {
  const text = textOf(given, 'tls-min-version')
  if (text === undefined) return undefined
  const version = VERSIONS[text]
  if (version === undefined)
    throw new StandInProblem(`--tls-min-version: expected 1.2 or 1.3, got ${text.slice(0, 20)}`)
  return version
}

function tlsOf(given: Given, isHttp: boolean): Record<string, unknown> {
  const [cert, key, ca] = ['crt', 'key', 'ca'].map(flag => textOf(given, flag))
  const hasAlpn = textOf(given, 'disable-alpn') !== 'true'
  return present({
    cert: cert && fileOf(given, cert),
    key: key && fileOf(given, key),
    client_ca: ca && fileOf(given, ca),
    min_version: minVersion(given),
    alpn: !hasAlpn || isHttp ? undefined : ['h2', 'http/1.1'],
  })
}

/** What is common to the ports of all protocols. */
function listenerOf(port: number, name: string, { tls, secured, mutual, proxied }: Choices) {
  const isMutual = mutual.includes(port)
  const address: ListenAddress = { port }
  return {
    ...address,
    name: `${name}-${port}`,
    ...((isMutual || secured.includes(port)) && { tls: { ...tls, client: isMutual ? 'require' : 'request' } }),
    ...(proxied.includes(port) && { proxy_protocol: 'strict' }),
  }
}

export const ISTIO_ECHO: StandIn = {
  flags: {
    port: { value: 'port' },
    grpc: { value: 'port' },
    tcp: { value: 'port' },
    udp: { value: 'port' },
    tls: { value: 'port' },
    mtls: { value: 'port' },
    'server-first': { value: 'port' },
    'proxy-protocol': { value: 'port' },
    version: { value: 'version' },
    cluster: { value: 'name' },
    'istio-version': { value: 'version' },
    crt: { value: 'file' },
    key: { value: 'file' },
    ca: { value: 'file' },
    'disable-alpn': {},
    'tls-min-version': { value: 'version' },
    metrics: { value: 'port', ignored: 'metrics are at /_svc/metrics' },
    hbone: { value: 'port', ignored: IGNORED },
    'xds-grpc-server': { value: 'port', ignored: IGNORED },
    uds: { value: 'path', ignored: IGNORED },
  },
  variables: ['NAMESPACE'],
  sections(given): Sections {
    const [http, grpc, tcp, udp] = Object.entries(PORTS).map(([flag, usual]) => portsOf(given, flag, usual))
    const secured = portsOf(given, 'tls')
    const mutual = portsOf(given, 'mtls')
    const serverFirst = portsOf(given, 'server-first')
    const choices = { secured, mutual, proxied: portsOf(given, 'proxy-protocol') }
    const httpChoices = { ...choices, tls: tlsOf(given, true) }
    const tcpChoices = { ...choices, tls: tlsOf(given, false) }
    const known = new Set([...http!, ...grpc!, ...tcp!])
    const stray = [...secured, ...mutual].find(port => !known.has(port))
    if (stray !== undefined)
      throw new StandInProblem(`--tls, --mtls: ${stray} is not a port of --port, --grpc or --tcp`)
    const version = textOf(given, 'version')
    const settings = present({
      version,
      cluster: textOf(given, 'cluster'),
      istio_version: textOf(given, 'istio-version'),
      namespace: textOf(given, null, 'NAMESPACE'),
    })
    const noAlpn = textOf(given, 'disable-alpn') === 'true' ? { http2: false } : {}
    return {
      drop_in: {
        listeners: [
          ...http!.map(port => ({
            ...listenerOf(port, 'http', httpChoices),
            serve: 'istio-echo',
            ...settings,
            ...((secured.includes(port) || mutual.includes(port)) && noAlpn),
          })),
          ...grpc!.map(port => ({ ...listenerOf(port, 'grpc', httpChoices), serve: 'grpc' })),
        ],
      },
      layer4: {
        listeners: [
          ...tcp!.map(port => ({
            ...listenerOf(port, 'tcp', tcpChoices),
            mode: 'istio',
            ...settings,
            ...(serverFirst.includes(port) && { banner: true }),
          })),
          ...udp!.map(port => ({ port, name: `udp-${port}`, transport: 'udp', mode: 'istio', ...settings })),
        ],
      },
      ...(version !== undefined && { grpc_services: { version } }),
    }
  },
}
