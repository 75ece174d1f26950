/** Control plane routes about plugins: list, enable and disable them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describe, isFlagSet, type PluginRecord, type RouteDescription, type RouteExample } from '../contract/plugin.ts'
import { shownFile } from '../config/effective.ts'
import type { SwitchResult } from '../host/switching.ts'
import type { ControlDeps } from './deps.ts'
import { viewLoadErrors, viewRecord } from './plugin-view.ts'
import { SVC_PLUGIN, SVC_PLUGINS } from './reply-schemas/plugins.ts'

const category = 'Control Plane'
type ByName = { Params: { name: string } }

const NAME = { name: 'name', in: 'path', description: 'Name of the plugin.' } as const
const CASCADE = {
  name: 'cascade',
  in: 'query',
  description: 'Also switch the plugins that prevent the change.',
  schema: { type: 'boolean', default: false },
} as const
const SWITCH_RESPONSES: RouteDescription['responses'] = {
  200: { description: 'The plugin, now in the requested state.' },
  404: { description: 'There is no plugin with this name.' },
  409: { description: 'Other plugins prevent the change; `cascade` switches them too.' },
  422: { description: 'The plugin failed to register; `error` has the reason.' },
}

/** Registers `/_svc/plugins` and the routes below it. */
export function registerPluginRoutes(app: FastifyInstance, deps: ControlDeps): void {
  const { config, http, plugins } = deps
  const view = (request: FastifyRequest, record: PluginRecord) =>
    viewRecord(record, { publicMode: config.publicMode, isAdmin: http.isAdmin(request) })

  app.get(
    '/_svc/plugins',
    describe({
      summary: 'All plugins with state, options and errors',
      reply: SVC_PLUGINS,
      category,
      description:
        'Secrets in options are masked. In public mode, only the administrator sees options. `building` names the plugin for which a reload waits.',
      examples: [{ name: 'Plugins', path: '/_svc/plugins', expectStatus: 200 }],
    }),
    request => {
      const records = plugins.records()
      const { generation, loadedAt, configFile, directories, loadErrors, building } = plugins.overview()
      return {
        generation,
        loaded_at: loadedAt.toISOString(),
        building: viewBuilding(building),
        config_file: shownFile(configFile, config),
        directories: config.publicMode ? [] : directories,
        counts: countStates(records),
        load_errors: viewLoadErrors(loadErrors, config.publicMode),
        plugins: records.map(record => view(request, record)).sort((a, b) => (a.name < b.name ? -1 : 1)),
      }
    },
  )

  /**
   * Examples need the name of an existing plugin, which is only known when the catalog is built. Therefore `examples` are
   * getters. Sending the examples changes nothing: the plugin is enabled, other plugins build on it, and it has no override.
   */
  function exampleOf(name: string, method: string, tail: string): RouteExample[] {
    const records = plugins.records()
    const target = records.find(candidate =>
      records.some(other => other.state === 'enabled' && other.builds_on.includes(candidate.name)),
    )
    return target ? [{ name, method, path: `/_svc/plugins/${target.name}${tail}` }] : []
  }

  app.get<ByName>(
    '/_svc/plugins/:name',
    describe({
      summary: 'One plugin, with its routes',
      reply: SVC_PLUGIN,
      category,
      parameters: [NAME],
      responses: {
        200: { description: 'The plugin.' },
        404: { description: 'There is no plugin with this name.' },
      },
      get examples() {
        return exampleOf('One plugin', 'GET', '')
      },
    }),
    (request, reply) => {
      const { name } = request.params
      const record = plugins.records().find(candidate => candidate.name === name)
      return record
        ? reply.send({ ...view(request, record), routes_list: plugins.routesOf(name) })
        : sendUnknownPlugin(reply, name)
    },
  )

  for (const [verb, on] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    app.post<ByName>(
      `/_svc/plugins/:name/${verb}`,
      describe({
        summary: `${on ? 'Enable' : 'Disable'} a plugin until the server stops`,
        reply: SVC_PLUGIN,
        description: 'Overrides svc.yaml. Requires the admin token if one is configured.',
        category,
        parameters: [NAME, CASCADE],
        responses: SWITCH_RESPONSES,
        get examples() {
          return exampleOf(on ? 'Already enabled' : 'Refused while others build on it', 'POST', `/${verb}`)
        },
      }),
      async (request, reply) => {
        http.guardAdmin(request)
        const { name } = request.params
        return sendSwitchResult(request, reply, name, await plugins.switch(name, on, isFlagSet(request, 'cascade')))
      },
    )
  }

  app.delete<ByName>(
    '/_svc/plugins/:name/override',
    describe({
      summary: 'Remove the override of a plugin, so that svc.yaml applies again',
      reply: SVC_PLUGIN,
      description: 'Requires the admin token if one is configured.',
      category,
      parameters: [NAME],
      responses: {
        200: { description: 'The plugin, in the state that svc.yaml requests.' },
        404: { description: 'There is no plugin with this name.' },
      },
      get examples() {
        return exampleOf('Clear override', 'DELETE', '/override')
      },
    }),
    async (request, reply) => {
      http.guardAdmin(request)
      const { name } = request.params
      return sendSwitchResult(request, reply, name, await plugins.clearOverride(name))
    },
  )

  async function sendSwitchResult(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    result: SwitchResult,
  ): Promise<FastifyReply> {
    switch (result.outcome) {
      case 'switched':
      case 'unchanged':
      case 'failed': {
        const replicas = await plugins.followers()
        return reply
          .code(result.outcome === 'failed' ? 422 : 200)
          .send({ ...view(request, result.record), ...(replicas && { replicas }) })
      }
      case 'in-use':
        return reply.code(409).send({ error: 'plugin in use', name, used_by: result.usedBy })
      case 'needs':
        return reply.code(409).send({ error: 'needs', name, needs: result.needs })
      case 'unknown':
        return sendUnknownPlugin(reply, name)
    }
  }

  function sendUnknownPlugin(reply: FastifyReply, name: string): FastifyReply {
    return reply.code(404).send({
      error: 'unknown plugin',
      name,
      plugins: plugins
        .records()
        .map(record => record.name)
        .sort(),
    })
  }
}

/** A build that waits for a plugin, for responses. */
export function viewBuilding(building: { since: Date; plugin: string } | null): object | null {
  return building && { since: building.since.toISOString(), plugin: building.plugin }
}

/** Number of plugins in each state. */
export function countStates(records: PluginRecord[]): Record<PluginRecord['state'], number> {
  const counts = { enabled: 0, disabled: 0, failed: 0 }
  for (const { state } of records) counts[state]++
  return counts
}
