/** Owns the methods that all protocol revisions share, and which of them a server offers. */
import type { Call, Method, MethodResult } from '../servers/call.ts'
import { HandlerContext } from '../servers/call-context.ts'
import { methodNotFound } from '../errors.ts'
import { complete } from './completion.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listTemplates, readResourceMethod } from './resources.ts'
import { getSkill, listSkills, readDirectory } from './skills.ts'
import { callTool, listTools } from './tools.ts'
import { offersCompletions } from '../servers/server-info.ts'

interface SharedMethod {
  run: Method
  isOffered?(call: Call): boolean
}

const hasResources = (call: Call) => call.server.hasResources
const hasSkills = ({ server, version }: Call) => version.extensions && server.skills.length > 0
const hasPrompts = (call: Call) => call.server.hasPrompts

const METHODS: ReadonlyMap<string, SharedMethod> = new Map<string, SharedMethod>([
  ['tools/list', { run: listTools }],
  ['tools/call', { run: callTool }],
  ['resources/list', { run: listResources, isOffered: hasResources }],
  ['resources/templates/list', { run: listTemplates, isOffered: hasResources }],
  ['resources/read', { run: readResourceMethod, isOffered: hasResources }],
  ['skills/list', { run: listSkills, isOffered: hasSkills }],
  ['skills/get', { run: getSkill, isOffered: hasSkills }],
  ['resources/directory/read', { run: readDirectory, isOffered: hasSkills }],
  ['prompts/list', { run: listPrompts, isOffered: hasPrompts }],
  ['prompts/get', { run: getPrompt, isOffered: hasPrompts }],
  ['completion/complete', { run: complete, isOffered: call => offersCompletions(call.server, call.version) }],
])

/** Runs a method; `own` finds methods of the revision. Throws -32601 if a method is unknown or not offered. */
export async function dispatch(call: Call, own: (name: string) => Method | undefined): Promise<MethodResult> {
  const ownMethod = own(call.method)
  if (ownMethod) return ownMethod(call)
  const { bridge, methods } = call.server
  const replaced = methods.get(call.method)
  if (replaced) return { result: await replaced(call.params, new HandlerContext(call)) }
  const method = METHODS.get(call.method)
  if (method && bridge?.forwards(call.method) && method.isOffered?.(call) !== false) return bridge.forward(call)
  if (method && method.isOffered?.(call) !== false) return method.run(call)
  if (bridge?.hasExtensions) return bridge.forward(call)
  throw methodNotFound(call.method)
}

/** The JSON text of a result. */
export function resultJson(outcome: MethodResult): string {
  return typeof outcome.result === 'string' ? outcome.result : JSON.stringify(outcome.result)
}
