/** http-echo, nginx-hello, fortio, httpbin, go-httpbin and Envoy AI Gateway's test upstream. */
import {
  addressOf,
  type Given,
  present,
  readAddress,
  type Sections,
  type StandIn,
  StandInProblem,
  textOf,
} from './stand-in.ts'

export const HTTP_ECHO: StandIn = {
  flags: { text: { value: 'text' }, listen: { value: 'address' }, 'status-code': { value: 'status' } },
  variables: ['ECHO_TEXT'],
  sections(given): Sections {
    const text = textOf(given, 'text', 'ECHO_TEXT')
    if (text === undefined) throw new StandInProblem('Missing -text option or ECHO_TEXT env var!')
    const status = textOf(given, 'status-code')
    if (status !== undefined && !/^[2-5]\d\d$/.test(status))
      throw new StandInProblem('-status-code: expected a status from 200 to 599')
    const address = addressOf(given, { flag: 'listen', port: 5678 })
    return {
      drop_in: {
        listeners: [
          present({
            name: 'http-echo',
            serve: 'http-echo',
            ...address,
            text,
            status: status === undefined ? undefined : Number(status),
          }),
        ],
      },
    }
  },
}

export const NGINX_HELLO: StandIn = {
  flags: {},
  sections: (): Sections => ({
    drop_in: {
      listeners: [80, 8080].map(port => ({ name: `nginx-hello-${port}`, serve: 'nginx-hello', port })),
    },
  }),
}

const FORTIO_PORTS = { 'http-port': 8080, 'grpc-port': 8079, 'tcp-port': 8078, 'udp-port': 8078 } as const

export const FORTIO: StandIn = {
  words: ['server'],
  flags: Object.fromEntries(Object.keys(FORTIO_PORTS).map(flag => [flag, { value: 'address' }])),
  sections(given): Sections {
    const listener = (
      flag: keyof typeof FORTIO_PORTS,
      settings: Record<string, unknown>,
    ): Record<string, unknown>[] => {
      const text = textOf(given, flag) ?? String(FORTIO_PORTS[flag])
      const name = flag.replace('-port', '')
      return text === 'disabled' ? [] : [{ name: `fortio-${name}`, ...settings, ...readAddress(text, `-${flag}`) }]
    }
    return {
      drop_in: {
        listeners: [...listener('http-port', { serve: 'fortio' }), ...listener('grpc-port', { serve: 'grpc' })],
      },
      layer4: {
        listeners: [
          ...listener('tcp-port', { mode: 'echo', directives: false }),
          ...listener('udp-port', { transport: 'udp', mode: 'echo', directives: false }),
        ],
      },
    }
  },
}

/** httpbin and go-httpbin. */
function httpbin(serve: string, usual: number): StandIn {
  return {
    flags: { host: { value: 'address' }, port: { value: 'port' }, prefix: { value: 'path' } },
    variables: ['HOST', 'PORT', 'PREFIX'],
    sections(given): Sections {
      const prefix = textOf(given, 'prefix', 'PREFIX')
      if (prefix !== undefined && !/^(?:\/[\w.~-]+)+$/.test(prefix))
        throw new StandInProblem('prefix: expected a path such as /httpbin, without a slash at the end')
      const host = textOf(given, 'host', 'HOST')
      const address = addressOf(given, { flag: 'port', variable: 'PORT', port: usual })
      return { drop_in: { listeners: [present({ name: serve, serve, ...address, host, prefix })] } }
    },
  }
}

export const HTTPBIN = httpbin('httpbin', 80)
export const GO_HTTPBIN = httpbin('go-httpbin', 8080)

export const TEST_UPSTREAM: StandIn = {
  flags: {},
  variables: ['LISTENER_PORT', 'TESTUPSTREAM_ID'],
  sections: (given: Given): Sections => ({
    drop_in: {
      listeners: [
        {
          name: 'testupstream',
          serve: 'testupstream',
          ...addressOf(given, { variable: 'LISTENER_PORT', port: 8080 }),
        },
      ],
    },
  }),
}
