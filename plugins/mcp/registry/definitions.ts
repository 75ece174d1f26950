/** Owns rendering tools, resources, templates and prompts for the lists of each protocol revision. */
import { withoutRouting } from './schema.ts'
import type {
  JsonObject,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolAnnotations,
  ToolDefinition,
} from '../types.ts'
import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/spec.ts'
import type { Version } from '../protocol/versions.ts'

export function renderTool(tool: ToolDefinition, version: Version): JsonObject {
  return {
    name: tool.name,
    title: version.titles ? tool.title : undefined,
    description: tool.description,
    inputSchema: version.routedArguments ? tool.inputSchema : withoutRouting(tool.inputSchema),
    outputSchema: version.structuredOutput ? tool.outputSchema : undefined,
    annotations: version.annotations ? renderAnnotations(tool) : undefined,
    _meta: version.titles ? tool.meta : undefined,
  } satisfies Tool
}

export function renderResource(resource: ResourceDefinition, version: Version): JsonObject {
  return {
    uri: resource.uri,
    name: resource.name,
    title: version.titles ? resource.title : undefined,
    description: resource.description,
    mimeType: resource.mimeType,
    size: resource.size,
    _meta: version.titles ? resource.meta : undefined,
  } satisfies Resource
}

export function renderTemplate(template: TemplateDefinition, version: Version): JsonObject {
  return {
    uriTemplate: template.uriTemplate,
    name: template.name,
    title: version.titles ? template.title : undefined,
    description: template.description,
    mimeType: template.mimeType,
    _meta: version.titles ? template.meta : undefined,
  } satisfies ResourceTemplate
}

export function renderPrompt(prompt: PromptDefinition, version: Version): JsonObject {
  return {
    name: prompt.name,
    title: version.titles ? prompt.title : undefined,
    description: prompt.description,
    arguments: (prompt.arguments ?? []).map(({ name, title, description, required }) => ({
      name,
      title: version.titles ? title : undefined,
      description,
      required: required ?? false,
    })),
  } satisfies Prompt
}

/** The first revision with annotations has the title only there, and not next to the name. */
function renderAnnotations(tool: ToolDefinition): ToolAnnotations | undefined {
  return tool.annotations || tool.title ? { title: tool.title, ...tool.annotations } : undefined
}
