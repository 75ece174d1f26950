/** Declarative configuration for decK and Kong: this instance as a service, a route for each plugin. */
import type { CatalogEndpoint, PluginRecord } from 'svc/plugin'
import type { Format, Selection } from '../format.ts'
import { writeYaml } from '../yaml.ts'

/** The core's routes that a gateway may show to everybody. */
const INSTANCE_PATHS = ['/health', '/identity', '/openapi.json', '/docs']
const TAGS = ['svc']

export function kong(plugins: () => PluginRecord[]): Format {
  return {
    id: 'kong',
    title: 'Kong (decK)',
    description: 'This instance as a service with a route for each plugin; control plane and console are not in it.',
    file: 'kong.yaml',
    mediaType: 'application/yaml',
    filename: 'svc-kong.yaml',
    write: (selection) => writeYaml({
      _format_version: '3.0',
      // decK deletes what a file does not name; with this only among entities of this tag.
      _info: { select_tags: TAGS },
      services: [{ name: 'svc', url: selection.baseUrl, tags: TAGS, routes: listRoutes(selection, plugins()) }],
    }),
  }
}

function listRoutes({ endpoints }: Selection, plugins: PluginRecord[]): object[] {
  const routes = plugins.map(({ name, paths }) => ({
    name: `svc-${name}`,
    paths: endpoints.some(({ plugin }) => plugin === name) ? paths.filter(isOfDataPlane) : [],
  }))
  routes.push({ name: 'svc-instance', paths: INSTANCE_PATHS.filter((path) => endpoints.some((endpoint) => isCore(endpoint, path))) })
  return routes.filter(({ paths }) => paths.length > 0).map((route) => ({ ...route, strip_path: false, tags: TAGS }))
}

function isOfDataPlane(path: string): boolean {
  return !/^\/(?:_svc|ui)(?:\/|$)/.test(path)
}

function isCore({ plugin, path }: CatalogEndpoint, prefix: string): boolean {
  return plugin === null && (path === prefix || path.startsWith(`${prefix}/`))
}
