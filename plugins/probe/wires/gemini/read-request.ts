/** Reads requests of `generateContent`, in camel and in snake case. */
import { isRecord } from 'svc/toolkit'
import { addParts, effortOf, emptyRequest, paramsOf, standardBase64 } from '../neutral.ts'
import type {
  Choice,
  Format,
  MediaSource,
  Params,
  Part,
  Problem,
  Request,
  SystemText,
  Thinking,
  Tool,
} from '../types.ts'
import { firstOf, listOf, member, membersOf, numberOf, textOf, type Members } from '../values.ts'
import { camelMembers } from './camel.ts'

export function readGemini(body: unknown): Request {
  const given = membersOf(camelMembers(body))
  const request = emptyRequest()
  request.system = readSystem(given.systemInstruction)
  const contents = Array.isArray(given.contents) ? given.contents : [given.contents]
  for (const [index, content] of contents.entries()) {
    const { role, parts } =
      typeof content === 'string' ? { role: 'user', parts: [{ text: content }] } : membersOf(content)
    const read = readParts(parts, `/contents/${index}/parts`, request.problems)
    if (role === 'model') addParts(request.turns, 'assistant', read)
    else if (role === 'user' || role === 'function' || role === undefined) addParts(request.turns, 'user', read)
    else request.problems.push({ at: `/contents/${index}/role`, text: 'an unknown role' })
  }
  const tools = Array.isArray(given.tools) ? given.tools : given.tools === undefined ? [] : [given.tools]
  request.tools = tools.flatMap(tool => readTools(membersOf(tool), body))
  request.choice = readChoice(member(given.toolConfig, 'functionCallingConfig'))
  const config = membersOf(given.generationConfig)
  request.params = readParams(config)
  request.thinking = readThinking(config.thinkingConfig)
  request.format = readFormat(config)
  return request
}

function readSystem(instruction: unknown): SystemText[] {
  if (typeof instruction === 'string') return [{ text: instruction, after: 0 }]
  return partsOf(member(instruction, 'parts')).flatMap(part => {
    const text = textOf(member(part, 'text'))
    return text === null ? [] : [{ text, after: 0 }]
  })
}

const partsOf = (parts: unknown): unknown[] => (isRecord(parts) ? [parts] : listOf(parts))

/** The parts of a request or a reply. */
export function readParts(parts: unknown, at: string, problems: Problem[]): Part[] {
  return partsOf(parts).flatMap((part, index) => readPart(membersOf(part), `${at}/${index}`, problems))
}

/** Code that the vendor runs, and what it prints. */
const OTHERS = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']

function readPart(part: Members, at: string, problems: Problem[]): Part[] {
  const signature = textOf(part.thoughtSignature)
  const signed = signature === null ? {} : { signature: standardBase64(signature) }
  if (part.functionCall !== undefined) {
    const { id, name, args } = membersOf(part.functionCall)
    return [{ type: 'call', id: textOf(id), name: textOf(name) ?? '', args: args ?? {}, ...signed }]
  }
  if (part.functionResponse !== undefined)
    return [readResult(membersOf(part.functionResponse), `${at}/functionResponse`, problems)]
  if (typeof part.text === 'string') {
    if (part.thought === true) return [{ type: 'thinking', text: part.text, signature: signed.signature ?? null }]
    return [{ type: 'text', text: part.text, ...signed }]
  }
  const media = firstOf(part.inlineData, part.fileData)
  if (media !== undefined) {
    const source = readMedia(membersOf(media))
    const isImage = source.mediaType?.startsWith('image/') ?? /\.(?:png|jpe?g|gif|webp)(?:\?|$)/.test(source.url ?? '')
    return isImage
      ? [{ type: 'image', ...source }]
      : [{ type: 'file', ...source, name: textOf(member(media, 'displayName')) }]
  }
  const other = OTHERS.find(name => part[name] !== undefined)
  if (other !== undefined) return [{ type: 'other', name: other, value: part[other] }]
  // A signature may come alone, at the end of a stream.
  if (signature !== null) return [{ type: 'text', text: '', ...signed }]
  problems.push({ at, text: 'an unknown part' })
  return []
}

function readMedia({ mimeType, data, fileUri }: Members): MediaSource {
  const text = textOf(data)
  return {
    mediaType: textOf(mimeType),
    data: text === null ? null : standardBase64(text),
    url: textOf(fileUri),
    id: null,
  }
}

/** Members in which results are that are not objects. */
const WRAPPERS = ['output', 'result', 'content', 'error']

function readResult({ id, name, response, parts }: Members, at: string, problems: Problem[]): Part {
  const [only, ...others] = Object.keys(membersOf(response))
  const isWrapped = only !== undefined && others.length === 0 && WRAPPERS.includes(only)
  const value = isWrapped ? member(response, only) : response
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  return {
    type: 'result',
    id: textOf(id),
    name: textOf(name),
    parts: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...readParts(parts, `${at}/parts`, problems)],
    error: only === 'error' && others.length === 0,
    value: response,
  }
}

function readTools(tool: Members, body: unknown): Tool[] {
  const declared = listOf(tool.functionDeclarations).map((given): Tool => {
    const { name, description, parameters, parametersJsonSchema } = membersOf(given)
    const isSnake = JSON.stringify(body)?.includes('"parameters_json_schema"') === true
    return {
      name: textOf(name) ?? '',
      description: textOf(description),
      schema: parametersJsonSchema ?? parameters ?? null,
      ...(parametersJsonSchema === undefined
        ? {}
        : { schemaMember: isSnake ? 'parameters_json_schema' : 'parametersJsonSchema' }),
    }
  })
  const others = Object.keys(tool).filter(name => name !== 'functionDeclarations')
  return [...declared, ...others.map(name => ({ name, description: null, schema: null, vendor: name }))]
}

function readChoice(config: unknown): Choice | null {
  const mode = textOf(member(config, 'mode'))?.toUpperCase()
  const names = listOf(member(config, 'allowedFunctionNames'))
  if (mode === 'AUTO' || mode === 'VALIDATED') return { type: 'auto' }
  if (mode === 'NONE') return { type: 'none' }
  if (mode !== 'ANY') return null
  return names.length === 1 && typeof names[0] === 'string' ? { type: 'tool', name: names[0] } : { type: 'required' }
}

function readParams(config: Members): Params {
  return paramsOf({
    max_tokens: config.maxOutputTokens,
    temperature: config.temperature,
    top_p: config.topP,
    top_k: config.topK,
    stop: config.stopSequences,
    seed: config.seed,
    frequency_penalty: config.frequencyPenalty,
    presence_penalty: config.presencePenalty,
  })
}

/** A budget of -1 leaves it to the model. */
function readThinking(config: unknown): Thinking | null {
  const budget = numberOf(member(config, 'thinkingBudget'))
  const effort = effortOf(textOf(member(config, 'thinkingLevel')))
  if (effort === null && budget === null) return null
  return { effort, budget: budget === -1 ? null : budget }
}

function readFormat({ responseMimeType, responseSchema, responseJsonSchema }: Members): Format | null {
  if (responseJsonSchema !== undefined && responseJsonSchema !== null)
    return { type: 'schema', name: null, schema: responseJsonSchema }
  if (responseSchema !== undefined && responseSchema !== null)
    return { type: 'schema', name: null, schema: responseSchema, hasFewKeywords: true }
  return responseMimeType === 'application/json' ? { type: 'json', name: null, schema: null } : null
}
