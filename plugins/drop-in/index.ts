/** The plugin `drop-in`: takes the place of the test upstreams of other projects. */
import {
  type JsonSchema,
  definePlugin,
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type Svc,
  text,
  type WebSocket,
} from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import { APISIX_UPSTREAM } from './flavours/apisix.ts'
import { AZURE_MOCK } from './flavours/azure-mock.ts'
import { FORTIO } from './flavours/fortio.ts'
import { HTTP_ECHO } from './flavours/http-echo.ts'
import { ISTIO_ECHO } from './flavours/istio-echo.ts'
import { createKongMock } from './flavours/kong-mock.ts'
import { NGINX_HELLO } from './flavours/nginx-hello.ts'
import { PRESERVE_CASE } from './flavours/preserve-case.ts'
import { RAW_HEADERS } from './flavours/raw-headers.ts'
import { TESTBOX_A2A, TESTBOX_LLM } from './flavours/testbox.ts'
import { createTestUpstream } from './flavours/testupstream.ts'
import { createWhoami } from './flavours/whoami.ts'
import { asCommand, STAND_INS, VARIABLE } from './stand-ins/command.ts'
import { type DropInOptions, type FlavourSettings, schema } from './options.ts'
import { Call, type Server } from './request/call.ts'
import { TestUpstreamHeaders } from './request/testupstream-headers.ts'
import type { Flavour } from './types.ts'

const NAME = 'drop-in'
const PREFIX = `/${NAME}`
/** Below it are the routes of entries, which only their hosts, prefixes and ports reach. */
const HIDDEN = `${PREFIX}/.at`
/** No route is there. */
const NOWHERE = `${HIDDEN}/nowhere`
/** `serve` of a port for gRPC services, and nothing else. */
const GRPC = 'grpc'
const CATEGORY = 'Drop-in'
/** After httpbin, before model providers. */
const RANK = 20

interface Variables {
  as: string
  testUpstreamId: string
}

export default definePlugin<DropInOptions, Variables>({
  title: "Other projects' upstreams",
  description: 'Responds as the test upstreams of other projects: below a path, on whole hosts and on ports.',
  paths: [PREFIX],
  section: 'drop_in',
  options: schema,
  command: asCommand,
  variables: {
    as: {
      name: 'SVC_AS',
      parser: text,
      default: '',
      description:
        'The server of another project whose place svc takes, as `svc as` does with the arguments of the process.',
    },
    testUpstreamId: {
      name: 'TESTUPSTREAM_ID',
      parser: text,
      default: '',
      defaultText: 'the instance id',
      description: 'The header `testupstream-id` of the flavour `testupstream`.',
    },
  },
  categories: [{ name: CATEGORY, rank: 56 }],
  register(app, svc) {
    const testUpstream = new TestUpstreamHeaders(svc, svc.variables.testUpstreamId || svc.instance.id)
    if (svc.options.aliases.includes('testupstream')) svc.use('testing.aliases').add(testUpstream.alias)
    const servers = new Map(
      [
        createWhoami(svc),
        HTTP_ECHO,
        NGINX_HELLO,
        ISTIO_ECHO,
        FORTIO,
        createKongMock(svc),
        APISIX_UPSTREAM,
        createTestUpstream(testUpstream),
        AZURE_MOCK,
        PRESERVE_CASE,
        RAW_HEADERS,
        TESTBOX_LLM,
        TESTBOX_A2A,
      ].map(server => [server.name, server]),
    )
    const others = new Map<string, Flavour>()
    svc.offer('drop-in.flavours', {
      flavour(flavour) {
        if (servers.has(flavour.name) || others.has(flavour.name))
          throw new Error(`the flavour ${flavour.name} is registered twice`)
        others.set(flavour.name, flavour)
      },
      standIns: () => new Map([...others.values()].flatMap(({ name, as }) => (as === undefined ? [] : [[name, as]]))),
    })
    for (const server of servers.values())
      addServer(app, svc, server, { mount: `${PREFIX}/${server.name}`, settings: {} })
    addList(app, svc, servers, others)

    function checkVariable(): void {
      const { as } = svc.variables
      if (as === '' || Object.hasOwn(STAND_INS, as) || others.get(as)?.as !== undefined) return
      const { message } = unknownName('server', as.slice(0, 200), Object.keys(STAND_INS))
      svc.log.warn(`${VARIABLE} has no effect: ${message}`)
    }

    /** The path below which an entry is served; null if it is wrong. Each entry has its own settings. */
    function mountOf(name: string, at: string, settings: FlavourSettings): string | null {
      const other = others.get(name)
      if (other !== undefined) return other.mount
      const server = servers.get(name)
      if (server === undefined) {
        const { message, remedy } = unknownName('flavour', name, [...servers.keys(), ...others.keys()])
        svc.reportLoadError({ at: `${at}.serve`, message, remedy })
        return null
      }
      if (name === 'http-echo' && settings.text === undefined) {
        svc.reportLoadError({ at, message: 'http-echo needs a text', remedy: 'add text: hello' })
        return null
      }
      const mount = `${HIDDEN}/${at.replace(/^drop_in\./, '').replace(/\W+/g, '-')}`
      addServer(app, svc, server, { mount, settings, isHidden: true })
      return mount
    }

    svc.reserve(HIDDEN)

    svc.whenRegistered(() => {
      checkVariable()
      for (const [index, { host, serve, ...settings }] of svc.options.hosts.entries()) {
        const at = `drop_in.hosts[${index}]`
        const mount = mountOf(serve, at, settings)
        if (mount !== null) svc.serveHost(host, mount, { rank: RANK, at })
      }
      for (const [index, entry] of svc.options.listeners.entries()) {
        const { serve, text: body, status, as, version, cluster, istio_version, namespace, prefix, ...listener } = entry
        const at = `drop_in.listeners[${index}]`
        const given = { text: body, status, name: as, version, cluster, istio_version, namespace }
        const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
        if (serve === GRPC) {
          svc.listeners.http({ ...listener, at, mount: NOWHERE, grpc: true, serves: serve })
          continue
        }
        const mount = mountOf(serve, at, settings)
        if (mount === null) continue
        const place = prefix === undefined ? { mount } : { mount: NOWHERE, paths: { [`${prefix}/*`]: mount } }
        svc.listeners.http({ ...listener, at, ...place, serves: serve })
      }
      for (const [index, { path, serve, ...settings }] of svc.options.prefixes.entries()) {
        const at = `drop_in.prefixes[${index}]`
        const mount = mountOf(serve, at, settings)
        if (mount !== null) svc.servePrefix(path, mount, { at })
      }
    })
  },
})

/** Those of HTTP; a route for each of WebDAV's would take 6 MB of memory for all servers. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

interface Place {
  mount: string
  settings: FlavourSettings
  /** Whether only hosts or ports reach it. */
  isHidden?: boolean
}

/** Adds the routes of a server: the methods of HTTP on all paths. */
function addServer(
  app: FastifyInstance,
  svc: Svc<unknown>,
  server: Server,
  { mount, settings, isHidden }: Place,
): void {
  const { socket } = server
  const handler = (request: FastifyRequest, reply: FastifyReply): unknown =>
    server.handle(new Call(request, reply, { svc, settings, mount }))
  const wsHandler = (opened: WebSocket, request: FastifyRequest): void => {
    svc.streams.websocket(request, opened)
    socket!.open(opened, new Call(request, undefined as never, { svc, settings, mount }))
  }
  const takesAll = socket?.paths.includes('*') === true
  for (const below of ['', '/*']) {
    const place =
      below === ''
        ? { path: mount, expectStatus: server.rootStatus ?? 200 }
        : {
            path: mount + server.example,
            expectStatus: 200,
            ...(server.exampleMethod && { method: server.exampleMethod }),
          }
    const described = (method?: string): object =>
      isHidden === true
        ? {}
        : describe({
            summary: below === '' ? `Respond as ${server.title}` : `Respond as ${server.title} on any path`,
            description: server.summary,
            ...COMMON,
            reply: replyOf(server),
            examples: [{ name: server.title, ...place, ...(method && { method }) }],
          })
    const url = mount + below
    if (takesAll) {
      // The first method would be TRACE, which many clients refuse to send.
      const method = METHODS.filter(name => name !== 'GET' && name !== 'HEAD')
      app.route({ method, url, ...described('POST'), handler })
      app.route({ method: 'GET', url, ...described(), handler, wsHandler })
    } else app.route({ method: [...METHODS], url, ...described(), handler })
  }
  if (takesAll) return
  for (const path of socket?.paths ?? []) {
    const described =
      isHidden === true
        ? {}
        : describe({
            summary: `Respond as ${server.title} to WebSockets`,
            description: server.summary,
            ...COMMON,
            reply: replyOf(server),
            examples: [{ name: server.title, path: mount + path, expectStatus: socket!.plainStatus }],
          })
    app.route({ method: 'GET', url: mount + path, ...described, handler, wsHandler })
  }
}

const COMMON = {
  category: CATEGORY,
  takes: 'deliveries',
  responses: {
    200: { description: 'As the original responds' },
    default: { description: 'As the original responds' },
  },
} as const

function replyOf({ mediaTypes }: Server): Record<string, JsonSchema> {
  return Object.fromEntries(
    mediaTypes.map(type => [
      type,
      type === 'application/json' ? { type: ['object', 'array'], items: {} } : { type: 'string' },
    ]),
  )
}

function addList(
  app: FastifyInstance,
  svc: Svc<DropInOptions, Variables>,
  servers: ReadonlyMap<string, Server>,
  others: ReadonlyMap<string, Flavour>,
): void {
  app.get(
    PREFIX,
    describe({
      summary: 'List the upstreams of other projects, and where they are served',
      category: CATEGORY,
      responses: { 200: { description: '`flavours`, and the `hosts`, `prefixes` and `listeners` of svc.yaml' } },
      examples: [{ name: 'Flavours', path: PREFIX, expectStatus: 200 }],
    }),
    request => ({
      flavours: [
        ...[...servers.values()].map(({ name, title, summary }) => ({
          name,
          title,
          summary,
          url: svc.http.url(request, `${PREFIX}/${name}`),
        })),
        ...[...others.values()].map(({ name, title }) => ({ name, title })),
      ],
      hosts: svc.options.hosts.map(({ host, serve }) => ({ host, serve })),
      prefixes: svc.options.prefixes.map(({ path, serve }) => ({ path, serve })),
      listeners: svc.instance
        .listeners()
        .filter(({ plugin }) => plugin === NAME)
        .map(({ name, port, serves }) => ({ name, port, serve: serves })),
    }),
  )
}
