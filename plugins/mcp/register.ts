/** Registers the content and the routes, and builds the servers after all plugins have registered. */
import {
  type FastifyInstance,
  forPlugin,
  type Logger,
  type RouteDescription,
  type Svc,
  type SvcReplicas,
} from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { type Bounds, boundsOf } from './bounds.ts'
import { Bridge } from './bridge/bridge.ts'
import { bridgeHost, bridgeMetrics } from './bridge/host.ts'
import { type BridgeEntry, BridgePool } from './bridge/pool.ts'
import { sdkSource } from './bridge/sdk-link.ts'
import { readBridge } from './configured/bridges.ts'
import { buildConfiguredServers } from './configured/servers.ts'
import { registerConformance } from './conformance/register.ts'
import { registerDemo } from './demo/register.ts'
import { CLOCK_URI } from './demo/resources.ts'
import { countUse, openFaultCounter } from './faults/inject.ts'
import { rpcProtocol } from './faults/rule-failure.ts'
import { Hub } from './sessions/hub.ts'
import type { HubMessage, HubReply } from './sessions/hub-messages.ts'
import { openMessageLog } from './sessions/kept-messages.ts'
import { openSessionStore } from './sessions/session-record.ts'
import type { Mcp } from './mcp.ts'
import type { ConfiguredServer, Options } from './options.ts'
import { Registry, type RegistrarServices } from './registry/registry.ts'
import { serverAt, serverExamples } from './routes/descriptions.ts'
import { registerHttpSse } from './routes/http-sse.ts'
import { registerMetadata, registerOwnMetadata } from './routes/metadata.ts'
import { registerServerList } from './routes/server-list.ts'
import { registerEndpoint } from './routes/streamable-http.ts'
import { type Report, select } from './registry/selection.ts'
import { serveHosts } from './servers/served-hosts.ts'
import { Server } from './servers/server.ts'
import type { SkillLimits } from './skills/skill.ts'
import { openTaskStore, openTaskUpdates } from './tasks/task-record.ts'
import { type TaskMessage, Tasks } from './tasks/tasks.ts'
import type { ServerDefinition } from './types.ts'
import type { Variables } from './variables.ts'

/** Delay from the end of registration until new requests are served by the new routes. */
const SWITCH_MS = 200

export function registerPlugin(app: FastifyInstance, svc: Svc<Options, Variables>): void {
  const bounds = boundsOf(svc.config)
  const hub = openHub(svc, bounds)
  const servers = new Map<string, Server>()
  const pool = openPool(svc, hub, bounds)
  const faultCounter = openFaultCounter(svc, bounds)
  const mcp: Mcp = {
    svc,
    bounds,
    hub,
    tasks: openTasks(svc, bounds),
    pool,
    faultCounter,
    servers,
    logOf: use => registry.logOf(use) ?? svc.log,
  }
  svc.use('testing.protocols').register(rpcProtocol(path => serverAt(path, mcp)))
  const own = new Map<string, RouteDescription>()
  const registry = offerRegistry(mcp, definition => {
    const post = registerOwnEndpoint(app, definition, mcp)
    if (post) own.set(definition.name, post)
  })
  svc.use('testing.resets').register({
    name: 'mcp',
    reset: async session =>
      (await hub.sessions.endWhere(({ owner }) => session === null || owner === session.header)) +
      (session === null ? await mcp.tasks.clear() : 0) +
      (await faultCounter.reset(session?.key ?? null)),
  })
  const descriptionOf = registerRoutes(app, mcp, own)

  svc.whenRegistered(async () => {
    for (const definition of registry.servers.values())
      definition.complete?.(registry.registrar(registry.ownerOf(definition.name)!, registrarServices(mcp)))
    registry.close()
    const bridges = await startBridges(registry, mcp)
    const entries: BridgeEntry[] = []
    for (const server of buildServers(registry, mcp, bridges, entries)) {
      servers.set(server.name, server)
      // The console finds the servers by these examples.
      descriptionOf(server).examples.push(...serverExamples(server, mcp))
    }
    serveHosts(mcp)
    whenServing(svc, () => {
      hub.replaceServers(servers).catch((error: unknown) => svc.log.warn('MCP sessions were not ended', { error }))
      pool.retain(entries)
    })
  })
}

/** The bridges from svc.yaml of all generations with this code. */
function openPool(svc: Svc<Options, Variables>, hub: Hub, bounds: Bounds): BridgePool {
  const services = {
    log: svc.log,
    metrics: bridgeMetrics(svc.metrics),
    instance: svc.instance.id,
    release: svc.instance.version,
  }
  const pool = svc.shared(
    'bridges',
    () => new BridgePool(bridgeHost(hub), bounds, services),
    closing => closing.close(),
  )
  pool.connect(services)
  svc.whenStopped(() => pool.hurry())
  return pool
}

/** The hub of all generations with this code, connected to the replicas by this generation. */
function openHub(svc: Svc<Options, Variables>, bounds: Bounds): Hub {
  const { replicas } = svc
  const store = openSessionStore(svc, bounds)
  const messages = openMessageLog(svc, bounds, store)
  const hub = svc.shared(
    'hub',
    () => new Hub({ store, messages, replicas, bounds }),
    closing => closing.close(),
  )
  hub.connect(svc.channel<HubMessage, HubReply>('hub', { on: message => hub.receive(message) }))
  svc.shared('clock', () => startClock(hub, replicas, svc.variables.clockTickSecs), clearInterval)
  return hub
}

/** The tasks of all generations with this code. */
function openTasks(svc: Svc<Options, Variables>, bounds: Bounds): Tasks {
  const { replicas } = svc
  const store = openTaskStore(svc, bounds)
  const updates = openTaskUpdates(svc, bounds, store)
  const tasks = svc.shared(
    'tasks',
    () => new Tasks({ store, updates, replicas, bounds }),
    closing => closing.close(),
  )
  tasks.connect(svc.channel<TaskMessage, void>('tasks', { on: message => tasks.receive(message) }))
  return tasks
}

/** One replica announces the time to the subscribers of all. */
function startClock(hub: Hub, replicas: SvcReplicas, tickSecs: number): NodeJS.Timeout {
  const tick = (): void => {
    if (replicas.isLeader()) hub.resourceUpdated(CLOCK_URI)
  }
  return setInterval(tick, tickSecs * 1000).unref()
}

/** Creates the registry with the built-in content and offers it to other plugins. */
function offerRegistry(mcp: Mcp, added: (definition: ServerDefinition) => void): Registry {
  const { svc, bounds } = mcp
  const registry = new Registry(skillLimitsOf(bounds), message => svc.reportLoadError({ at: 'mcp', message }), added)
  const services = registrarServices(mcp)
  const registrarOf = (plugin: string, own?: { log: Logger }) => registry.registrar(plugin, services, false, own?.log)
  const registrar = registry.registrar(svc.name, services, true)
  const records = svc.use('demo-data.records')
  if (!records)
    throw new Error('the plugin mcp needs the extension point demo-data.records (enable the plugin demo-data)')
  registerDemo(registrar, records, bounds)
  registerConformance(registrar)
  svc.offer('mcp.servers', { ...registrar, [forPlugin]: registrarOf })
  return registry
}

function registrarServices(mcp: Mcp): RegistrarServices {
  return {
    updated: uri => mcp.hub.resourceUpdated(uri),
    count: (server, request, name) => countUse(mcp, server, request, name),
  }
}

function skillLimitsOf({ skills, skillFileBytes }: Bounds): SkillLimits {
  return { skills, fileBytes: skillFileBytes }
}

/** The endpoint of a server at a path of its own; returns its POST description. */
function registerOwnEndpoint(own: FastifyInstance, definition: ServerDefinition, mcp: Mcp): RouteDescription | null {
  const { name, title, path, app, auth } = definition
  if (path === undefined) return null
  if (!app) throw new Error(`the MCP server "${name}" has a path, so it needs "app" too`)
  if (auth === 'oauth') registerOwnMetadata(own, mcp, definition)
  return registerEndpoint(app, mcp, { route: path, server: name, summary: `MCP: ${title}` })
}

/**
 * Registers all routes; returns a function that finds the POST description of a server. `own` has those of servers with a
 * path of their own.
 */
function registerRoutes(
  app: FastifyInstance,
  mcp: Mcp,
  own: Map<string, RouteDescription>,
): (server: Server) => RouteDescription {
  own.set('default', registerEndpoint(app, mcp, { route: '/mcp', server: 'default', summary: 'MCP: open server' }))
  own.set(
    'protected',
    registerEndpoint(app, mcp, {
      route: '/mcp/protected',
      server: 'protected',
      summary: 'MCP: server with OAuth',
    }),
  )
  own.set(
    'apikey',
    registerEndpoint(app, mcp, {
      route: '/mcp/apikey',
      server: 'apikey',
      summary: 'MCP: server with an API key',
    }),
  )
  const named = registerEndpoint(app, mcp, { route: '/mcp/servers/:name', summary: 'MCP: named server' })
  registerHttpSse(app, mcp)
  registerMetadata(app, mcp)
  registerServerList(app, mcp)
  return server => own.get(server.name) ?? named
}

/** Connects to the servers of SDKs. One that fails is a load error. They end with this generation. */
async function startBridges(registry: Registry, { svc, bounds, hub }: Mcp): Promise<Map<string, Bridge>> {
  const bridges = new Map<string, Bridge>()
  const services = { log: svc.log, metrics: bridgeMetrics(svc.metrics) }
  const host = bridgeHost(hub)
  svc.whenClosed(async () => void (await Promise.all([...bridges.values()].map(bridge => bridge.close()))))
  for (const [name, definition] of registry.bridged) {
    const bridge = new Bridge({
      name,
      source: sdkSource(definition),
      release: svc.instance.version,
      timeoutMs: bounds.bridgeTimeoutMs,
      maxConnections: bounds.bridgeConnections,
      maxInFlight: bounds.bridgeCalls,
      ...host(name, () => services),
    })
    try {
      await bridge.start()
      bridges.set(name, bridge)
    } catch (error) {
      await bridge.close()
      const message = `the MCP server ${name} can't be started: ${error instanceof Error ? error.message : String(error)}`
      svc.reportLoadError({ at: 'mcp', message })
    }
  }
  return bridges
}

/**
 * Builds the registered servers, then those from svc.yaml, which can select all registered content. Adds the entries of
 * the bridges from svc.yaml to `entries`.
 */
function buildServers(
  registry: Registry,
  { svc, bounds, pool }: Mcp,
  bridges: ReadonlyMap<string, Bridge>,
  entries: BridgeEntry[],
): Server[] {
  const release = svc.instance.version
  const registered = [...registry.servers.values()].flatMap(definition => {
    const bridge = bridges.get(definition.name) ?? null
    // It could not start, which is a load error.
    if (bridge === null && registry.bridged.has(definition.name)) return []
    const selection = select(registry, definition, (at, message, remedy) =>
      svc.log.warn(`MCP server ${definition.name}: ${at}: ${message}`, { remedy }),
    )
    const plugin = registry.ownerOf(definition.name) ?? null
    return [new Server(definition, selection, release, { bridge, source: bridge?.kind ?? 'plugin', plugin })]
  })
  const skills = {
    configFile: svc.config.configFile,
    limits: skillLimitsOf(bounds),
    watch: (folder: string) => svc.watch(folder),
  }
  const bridgeOf = (item: ConfiguredServer, report: Report): Bridge | null => {
    const entry = readBridge(item, svc, report)
    if (!entry) return null
    if (entries.length >= bounds.bridges) {
      report('name', `too many bridged servers (at most ${bounds.bridges})`, 'remove the server')
      return null
    }
    entries.push(entry)
    return pool.use(entry)
  }
  const context = {
    plugin: svc.name,
    release,
    config: svc.config,
    evaluation: () => svc.budgets.evaluation(),
    skills,
    bridgeOf,
  }
  const configured = buildConfiguredServers(svc.options.servers, registry, context, (at, message, remedy) =>
    svc.reportLoadError({ at: `mcp.${at}`, message, ...(remedy === undefined ? {} : { remedy }) }),
  )
  const servers = [...registered, ...configured]
  for (const server of servers) reportMissingPages(server, svc)
  return servers
}

/** Reports tools that name a page (extension `io.modelcontextprotocol/ui`) that their server does not have. */
function reportMissingPages(server: Server, svc: Svc<Options, Variables>): void {
  for (const { definition } of server.tools.values()) {
    const uri = isRecord(definition.meta?.ui) ? definition.meta.ui.resourceUri : undefined
    if (uri === undefined || (typeof uri === 'string' && server.findResource(uri))) continue
    svc.reportLoadError({
      at: 'mcp',
      message: `the tool ${definition.name} of the MCP server ${server.name} names a page that the server does not have`,
      remedy: 'add the resource to the server',
    })
  }
}

/** Calls back when new requests reach this generation: clients fetch changed lists at once, and must not get the old ones. */
function whenServing(svc: Svc<Options, Variables>, callback: () => void): void {
  const timer = setTimeout(callback, SWITCH_MS).unref()
  svc.whenClosed(() => clearTimeout(timer))
}
