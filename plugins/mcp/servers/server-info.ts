/** Owns the information and capabilities of a server in each protocol revision. */
import { UNNAMED_SERVERS } from '../registry/registry.ts'
import type { Server } from './server.ts'
import type { Implementation, ServerCapabilities } from '../protocol/spec.ts'
import type { JsonObject } from '../types.ts'
import type { Version } from '../protocol/versions.ts'

/** `serverInfo` of `initialize` and of stateless results. */
export function serverInfo(server: Server, version: Version): Implementation {
  if (server.bridge) return infoOfBridge(server.bridge.info, version)
  return {
    name: server.definition.infoName ?? (UNNAMED_SERVERS.includes(server.name) ? 'svc-mcp' : `svc-mcp-${server.name}`),
    title: version.titles ? server.definition.title : undefined,
    version: server.release,
    description: version.descriptions ? server.definition.description : undefined,
  } satisfies Implementation
}

/** The bridged server's own information, without members that the revision does not know. */
function infoOfBridge({ name, version: release, title, description, ...others }: JsonObject, version: Version) {
  return {
    name: String(name),
    version: String(release),
    ...(version.titles ? { title: title as string | undefined } : {}),
    ...(version.descriptions ? { ...others, description: description as string | undefined } : {}),
  } satisfies Implementation
}

/** The server's capabilities; methods without their capability are not found. */
export function capabilities(server: Server, version: Version): ServerCapabilities {
  const extensions = version.extensions ? server.extensions(version) : {}
  return {
    tools: { listChanged: true },
    resources: server.hasResources ? { subscribe: true, listChanged: true } : undefined,
    prompts: server.hasPrompts ? { listChanged: true } : undefined,
    completions: offersCompletions(server, version) ? {} : undefined,
    logging: {},
    extensions: Object.keys(extensions).length > 0 ? extensions : undefined,
  } satisfies ServerCapabilities
}

export function offersCompletions(server: Server, version: Version): boolean {
  return version.completions && server.hasCompletions
}
