/** Names of tools that are in a namespace, and of those that are not. */
import type { NeutralRequest, Tool, ToolName } from '../contract/neutral.ts'

/** The name without a namespace, as formats that have none write it: `crm__find_customer`. */
export function flatName({ name, namespace }: ToolName): string {
  return namespace === undefined ? name : `${namespace}__${name}`
}

/** The names by which texts and conditions can mean a tool. */
export function namesOf(tool: ToolName): string[] {
  return tool.namespace === undefined ? [tool.name] : [flatName(tool), tool.name]
}

/** The tool with this name, in the given namespace or in any, or with this flat name. */
export function findTool(tools: readonly Tool[], wanted: ToolName): Tool | undefined {
  const { name, namespace } = wanted
  const named = tools.find(tool => tool.name === name && (namespace === undefined || tool.namespace === namespace))
  if (named !== undefined) return named
  const flat = flatName(wanted)
  return tools.find(tool => flatName(tool) === flat)
}

/** How a call names its tool: as the request offers it, or as the format can write it. */
export function calledName(request: NeutralRequest, wanted: ToolName): ToolName {
  const tool = findTool(request.tools, wanted) ?? wanted
  if (tool.namespace === undefined) return { name: tool.name }
  if (request.hasNamespaces !== true) return { name: flatName(tool) }
  return { name: tool.name, namespace: tool.namespace }
}
