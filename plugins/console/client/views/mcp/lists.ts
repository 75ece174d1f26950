/** Loads all pages of the lists of a server. */
import { RpcError, type McpClient } from './client.ts'
import type { Lists, Prompt, Resource, ServerInfo, Template, Tool } from './types.ts'

const MAX_PAGES = 50
const METHOD_NOT_FOUND = -32601

async function listAll<T>(client: McpClient, method: string, key: string): Promise<T[]> {
  const items: T[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await client.call<Record<string, unknown>>(method, cursor === undefined ? {} : { cursor })
    items.push(...((result[key] ?? []) as T[]))
    cursor = result.nextCursor as string | undefined
    if (cursor === undefined) return items
  }
  return items
}

/** Tools, resources, templates and prompts, if the server declares the capability. */
export async function loadLists(client: McpClient, { capabilities }: ServerInfo): Promise<Lists> {
  const when = async <T>(capability: string, method: string, key: string): Promise<T[]> => {
    if (capabilities[capability] === undefined) return []
    try {
      return await listAll<T>(client, method, key)
    } catch (error) {
      // Some servers have resources and no templates.
      if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return []
      throw error
    }
  }
  const [tools, resources, templates, prompts] = await Promise.all([
    when<Tool>('tools', 'tools/list', 'tools'),
    when<Resource>('resources', 'resources/list', 'resources'),
    when<Template>('resources', 'resources/templates/list', 'resourceTemplates'),
    when<Prompt>('prompts', 'prompts/list', 'prompts'),
  ])
  return { tools, resources, templates, prompts }
}
