/** Traefik's whoami, over HTTP, TCP and UDP. */
import {
  addressOf,
  fileOf,
  type Given,
  present,
  type Sections,
  type StandIn,
  StandInProblem,
  textOf,
} from './stand-in.ts'

/** Undefined without a certificate. */
function tlsOf(
  given: Given,
  { cert, key, ca }: { cert: string; key: string; ca?: string },
): Record<string, unknown> | undefined {
  const [certificate, secret] = [textOf(given, cert), textOf(given, key)]
  if (certificate === undefined && secret === undefined) return undefined
  if (certificate === undefined || secret === undefined) throw new StandInProblem(`-${cert} and -${key} go together`)
  const issuers = ca === undefined ? undefined : textOf(given, ca)
  return {
    cert: fileOf(given, certificate),
    key: fileOf(given, secret),
    ...(issuers === undefined ? { client: 'none' } : { client: 'require', client_ca: fileOf(given, issuers) }),
  }
}

export const WHOAMI: StandIn = {
  flags: {
    port: { value: 'port' },
    name: { value: 'name' },
    cert: { value: 'file' },
    key: { value: 'file' },
    cacert: { value: 'file' },
    verbose: { ignored: 'see SVC_LOG_LEVEL' },
  },
  variables: ['WHOAMI_PORT_NUMBER', 'WHOAMI_NAME'],
  sections: (given): Sections => ({
    drop_in: {
      listeners: [
        present({
          name: 'whoami',
          serve: 'whoami',
          ...addressOf(given, { flag: 'port', variable: 'WHOAMI_PORT_NUMBER', port: 80 }),
          as: textOf(given, 'name', 'WHOAMI_NAME'),
          tls: tlsOf(given, { cert: 'cert', key: 'key', ca: 'cacert' }),
        }),
      ],
    },
  }),
}

export const WHOAMI_TCP: StandIn = {
  flags: {
    port: { value: 'address' },
    name: { value: 'name' },
    certFile: { value: 'file' },
    keyFile: { value: 'file' },
    banner: {},
  },
  sections: (given): Sections => ({
    layer4: {
      listeners: [
        present({
          name: 'whoamitcp',
          mode: 'whoami',
          ...addressOf(given, { flag: 'port', port: 8080 }),
          text: textOf(given, 'name'),
          tls: tlsOf(given, { cert: 'certFile', key: 'keyFile' }),
          banner: textOf(given, 'banner') === 'true' ? true : undefined,
        }),
      ],
    },
  }),
}

export const WHOAMI_UDP: StandIn = {
  flags: { port: { value: 'address' }, name: { value: 'name' } },
  sections: (given): Sections => ({
    layer4: {
      listeners: [
        present({
          name: 'whoamiudp',
          transport: 'udp',
          mode: 'whoami',
          ...addressOf(given, { flag: 'port', port: 8080 }),
          text: textOf(given, 'name'),
        }),
      ],
    },
  }),
}
