/** Path prefixes that a gateway routes to this instance, by plugin. */
import type { CatalogEndpoint, PluginRecord } from 'svc/plugin'
import type { Selection } from './format.ts'

export interface Prefixes {
  /** `svc-<plugin>`, or `svc-instance`. */
  name: string
  paths: string[]
}

/** Routes of the core that a gateway may expose. */
const INSTANCE_PATHS = ['/health', '/identity', '/openapi.json']

/** Prefixes of the plugins with a selected endpoint, and of the instance, without the control plane and the console. */
export function listPrefixes({ endpoints }: Selection, plugins: PluginRecord[]): Prefixes[] {
  const list = plugins.map(({ name, paths }) => ({
    name: `svc-${name}`,
    paths: endpoints.some(({ plugin }) => plugin === name) ? paths.filter(isOfDataPlane) : [],
  }))
  list.push({
    name: 'svc-instance',
    paths: INSTANCE_PATHS.filter(path => endpoints.some(endpoint => isCore(endpoint, path))),
  })
  return list.filter(({ paths }) => paths.length > 0)
}

/** As a prefix, the root would be all paths, the control plane included. */
function isOfDataPlane(path: string): boolean {
  return path !== '/' && !/^\/(?:_svc|ui)(?:\/|$)/.test(path)
}

function isCore({ plugin, path }: CatalogEndpoint, prefix: string): boolean {
  return plugin === null && (path === prefix || path.startsWith(`${prefix}/`))
}
