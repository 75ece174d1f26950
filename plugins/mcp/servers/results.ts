/** Owns reading resources, and rendering the results of tools and prompts for each protocol revision. */
import type { Call } from './call.ts'
import type { FoundResource } from './server.ts'
import type { CallContext, Content, JsonObject, PromptResult, ResourceContents, ToolResult } from '../types.ts'
import type { CallToolResult, GetPromptResult } from '../protocol/spec.ts'

/** `content` and `isError` are always present, `structuredContent` if the revision supports it. */
export async function renderToolResult(result: ToolResult, call: Call, context: CallContext): Promise<JsonObject> {
  return {
    content: await renderContents(result.content, call, context),
    structuredContent: call.version.structuredOutput ? result.structuredContent : undefined,
    isError: result.isError ?? false,
  } satisfies CallToolResult
}

export async function renderPromptResult(result: PromptResult, call: Call, context: CallContext): Promise<JsonObject> {
  const contents = await renderContents(
    result.messages.map(message => message.content),
    call,
    context,
  )
  return {
    description: result.description,
    messages: result.messages.map(({ role }, index) => ({ role, content: contents[index]! })),
  } satisfies GetPromptResult
}

function renderContents(contents: Content[], call: Call, context: CallContext): Promise<Content[]> | Content[] {
  const { resourceLinks, audio } = call.version
  return resourceLinks && audio ? contents : Promise.all(contents.map(content => renderContent(content, call, context)))
}

/** Converts content that a revision does not support. */
async function renderContent(content: Content, call: Call, context: CallContext): Promise<Content> {
  if (content.type === 'audio' && !call.version.audio)
    return { type: 'text', text: `[audio, ${content.mimeType}, ${Buffer.byteLength(content.data, 'base64')} bytes]` }
  if (content.type !== 'resource_link' || call.version.resourceLinks) return content
  const resource = call.server.findResource(content.uri)
  return resource
    ? { type: 'resource', resource: await readResource(resource, content.uri, context) }
    : { type: 'text', text: content.uri }
}

/** The contents, with the requested URI. */
export async function readResource(
  resource: FoundResource,
  uri: string,
  context: CallContext,
): Promise<ResourceContents> {
  const { definition, variables } = resource
  const readout = variables === null ? await definition.read(context) : await definition.read(variables, context)
  return { uri, mimeType: definition.mimeType, ...readout, ...(definition.meta ? { _meta: definition.meta } : {}) }
}
