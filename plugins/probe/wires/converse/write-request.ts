/** Writes requests of Converse as the official SDK does. */
import { budgetOf, rankOf } from '../neutral.ts'
import type { Choice, Lifetime, Part, Request, ResultPart, Tool } from '../types.ts'
import { defined, parseJson, type Members } from '../values.ts'
import { isRecord } from 'svc/toolkit'

export function writeConverse(request: Request): Members {
  const { params, system, turns, tools, choice, thinking, format } = request
  const first = system.filter(({ after }) => after === 0)
  const config = defined({
    maxTokens: params.max_tokens,
    temperature: params.temperature,
    topP: params.top_p,
    stopSequences: params.stop,
  })
  const own = defined({
    top_k: params.top_k,
    thinking:
      thinking === null || rankOf(thinking) === 'none'
        ? undefined
        : { type: 'enabled', budget_tokens: budgetOf(thinking) },
  })
  const offered = choice?.type === 'none' ? [] : tools.filter(({ vendor }) => vendor === undefined)
  return defined({
    additionalModelRequestFields: Object.keys(own).length === 0 ? undefined : own,
    inferenceConfig: Object.keys(config).length === 0 ? undefined : config,
    messages: turns.map(({ role, parts, native }) => ({ role, content: native ?? writeBlocks(parts) })),
    outputConfig:
      format === null || format.type === 'json'
        ? undefined
        : {
            textFormat: {
              type: 'json_schema',
              structure: {
                jsonSchema: defined({ name: format.name ?? undefined, schema: JSON.stringify(format.schema) }),
              },
            },
          },
    system: first.length === 0 ? undefined : first.flatMap(({ text, mark }) => [{ text }, ...writeMark(mark)]),
    toolConfig:
      offered.length === 0
        ? undefined
        : defined({ tools: offered.flatMap(writeTool), toolChoice: writeChoice(choice) }),
  })
}

/** A mark is a block behind the one that it marks. */
function writeMark(mark: Lifetime | undefined): Members[] {
  if (mark === undefined) return []
  return [{ cachePoint: { type: 'default', ...(mark === '1h' ? { ttl: '1h' } : {}) } }]
}

function writeBlocks(parts: readonly Part[]): Members[] {
  return parts.flatMap(part => {
    const block = writeBlock(part)
    return block === null ? [] : [block, ...writeMark('mark' in part ? part.mark : undefined)]
  })
}

function writeBlock(part: Part): Members | null {
  switch (part.type) {
    case 'text':
      return { text: part.text }
    case 'image':
      return part.data === null ? null : { image: { format: formatOf(part.mediaType), source: { bytes: part.data } } }
    case 'file':
      if (part.data === null) return null
      return {
        document: {
          format: formatOf(part.mediaType),
          name: documentName(part.name),
          source: { bytes: part.data },
        },
      }
    case 'call':
      return { toolUse: { toolUseId: part.id, name: part.name, input: part.args } }
    case 'result':
      return { toolResult: writeResult(part) }
    case 'thinking':
      return {
        reasoningContent: { reasoningText: defined({ text: part.text, signature: part.signature ?? undefined }) },
      }
    case 'redacted':
      return { reasoningContent: { redactedContent: part.data } }
    case 'refusal':
      return { text: part.text }
    default:
      return null
  }
}

function writeResult({ id, parts, error }: ResultPart): Members {
  return defined({
    toolUseId: id,
    content: parts.flatMap(part => {
      if (part.type !== 'text') return writeBlock(part) ?? []
      const value = parseJson(part.text)
      return isRecord(value) ? { json: value } : { text: part.text }
    }),
    status: error ? 'error' : undefined,
  })
}

const FORMATS: Readonly<Record<string, string>> = { 'text/plain': 'txt', 'text/markdown': 'md' }

function formatOf(mediaType: string | null): string {
  const type = mediaType ?? ''
  return FORMATS[type] ?? type.slice(type.indexOf('/') + 1)
}

/** The service takes letters, digits, spaces, hyphens and brackets. */
function documentName(name: string | null): string {
  return (name ?? 'document').replace(/\.[a-z]{1,5}$/, '').replace(/[^A-Za-z0-9 ()[\]-]/g, '-')
}

function writeTool({ name, description, schema, strict, mark }: Tool): Members[] {
  const toolSpec = defined({
    name,
    description: description ?? undefined,
    inputSchema: { json: schema ?? { type: 'object', properties: {} } },
    strict: strict === true ? true : undefined,
  })
  return [{ toolSpec }, ...writeMark(mark)]
}

function writeChoice(choice: Choice | null): Members | undefined {
  if (choice === null || choice.type === 'none') return undefined
  if (choice.type === 'tool') return { tool: { name: choice.name } }
  return choice.type === 'auto' ? { auto: {} } : { any: {} }
}
