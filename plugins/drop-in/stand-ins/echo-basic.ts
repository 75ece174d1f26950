/** Gateway API's echo-basic: one of its four servers, as its variables choose. */
import { addressOf, fileOf, type Given, type Sections, type StandIn, textOf } from './stand-in.ts'

const HTTP_PORT = 3000
const H2C_PORT = 3001
const HTTPS_PORT = 8443
const UDP_PORT = 8080

/** Null without a certificate. Its servers write the name of the key in two ways. */
function tlsOf(given: Given): Record<string, unknown> | null {
  const cert = textOf(given, null, 'TLS_SERVER_CERT')
  const key = textOf(given, null, 'TLS_SERVER_PRIVKEY') ?? textOf(given, null, 'TLS_SERVER_PRIV_KEY')
  if (cert === undefined || key === undefined) return null
  const ca = textOf(given, null, 'TLS_CLIENT_CACERTS')
  return {
    cert: fileOf(given, cert),
    key: fileOf(given, key),
    ...(ca === undefined ? { client: 'none' } : { client: 'require', client_ca: fileOf(given, ca) }),
  }
}

function listeners(given: Given, serve: string): Record<string, unknown>[] {
  const port = (variable: string, usual: number) => addressOf(given, { variable, port: usual })
  const tls = tlsOf(given)
  return [
    // The original speaks HTTP/2 there only for gRPC.
    { name: 'echo-basic', serve, ...port('HTTP_PORT', HTTP_PORT), ...(serve !== 'grpc' && { http2: false }) },
    ...(tls === null ? [] : [{ name: 'echo-basic-tls', serve, ...port('HTTPS_PORT', HTTPS_PORT), tls }]),
  ]
}

function tcpListeners(given: Given): Record<string, unknown>[] {
  const tls = tlsOf(given)
  const mode = 'echo-basic'
  return [
    { name: 'echo-basic', mode, ...addressOf(given, { variable: 'TCP_PORT', port: HTTP_PORT }) },
    // The original makes a certificate if it has none.
    {
      name: 'echo-basic-tls',
      mode,
      ...addressOf(given, { variable: 'TLS_PORT', port: HTTPS_PORT }),
      tls: tls ?? true,
      tls_port_of: 'echo-basic',
    },
  ]
}

export const ECHO_BASIC: StandIn = {
  flags: {},
  variables: [
    'HTTP_PORT',
    'H2C_PORT',
    'HTTPS_PORT',
    'TCP_PORT',
    'TLS_PORT',
    'UDP_PORT',
    'GRPC_ECHO_SERVER',
    'TCP_ECHO_SERVER',
    'UDP_ECHO_SERVER',
    'TLS_SERVER_CERT',
    'TLS_SERVER_PRIVKEY',
    'TLS_SERVER_PRIV_KEY',
    'TLS_CLIENT_CACERTS',
    'NAMESPACE',
    'INGRESS_NAME',
    'SERVICE_NAME',
    'POD_NAME',
  ],
  sections(given): Sections {
    const { variables } = given
    if (variables.GRPC_ECHO_SERVER) return { drop_in: { listeners: listeners(given, 'grpc') } }
    if (variables.TCP_ECHO_SERVER) return { layer4: { listeners: tcpListeners(given) } }
    if (variables.UDP_ECHO_SERVER) {
      const address = addressOf(given, { variable: 'UDP_PORT', port: UDP_PORT })
      return { layer4: { listeners: [{ name: 'echo-basic', transport: 'udp', mode: 'echo-basic', ...address }] } }
    }
    const h2c = addressOf(given, { variable: 'H2C_PORT', port: H2C_PORT })
    return {
      drop_in: {
        listeners: [...listeners(given, 'echo-basic'), { name: 'echo-basic-h2c', serve: 'echo-basic-h2c', ...h2c }],
      },
    }
  },
}
