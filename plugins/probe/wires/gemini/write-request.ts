/** Writes requests of `generateContent` as the official SDK does. */
import { isRecord } from 'svc/toolkit'
import { budgetOf, calledName, resultText } from '../neutral.ts'
import type { Choice, MediaSource, Part, Request, ResultPart, Tool } from '../types.ts'
import { defined, parseJson, type Members } from '../values.ts'

export function writeGemini(request: Request): Members {
  const { system, turns, tools, choice } = request
  const first = system.filter(({ after }) => after === 0)
  const config = writeConfig(request)
  return defined({
    contents: turns.map(({ role, parts, native }) =>
      native === undefined
        ? { parts: parts.flatMap(part => writePart(request, part)), role: role === 'user' ? 'user' : 'model' }
        : native,
    ),
    systemInstruction: first.length === 0 ? undefined : { parts: first.map(({ text }) => ({ text })), role: 'user' },
    tools: tools.length === 0 ? undefined : writeTools(tools),
    toolConfig: choice === null ? undefined : { functionCallingConfig: writeChoice(choice) },
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
  })
}

function writeConfig({ params, thinking, format }: Request): Members {
  return defined({
    temperature: params.temperature,
    topP: params.top_p,
    topK: params.top_k,
    maxOutputTokens: params.max_tokens,
    stopSequences: params.stop,
    presencePenalty: params.presence_penalty,
    frequencyPenalty: params.frequency_penalty,
    seed: params.seed,
    responseMimeType: format === null ? undefined : 'application/json',
    responseJsonSchema: format === null || format.type === 'json' ? undefined : format.schema,
    thinkingConfig: thinking === null ? undefined : { includeThoughts: true, thinkingBudget: budgetOf(thinking) },
  })
}

function writePart(request: Request, part: Part): Members[] {
  switch (part.type) {
    case 'text':
      return [defined({ text: part.text, thoughtSignature: part.signature })]
    case 'image':
    case 'file':
      return [writeMedia(part)]
    case 'call':
      return [
        defined({
          functionCall: defined({ id: part.id ?? undefined, name: part.name, args: part.args }),
          thoughtSignature: part.signature,
        }),
      ]
    case 'result':
      return [{ functionResponse: writeResult(request, part) }]
    case 'thinking':
      return [defined({ text: part.text, thought: true, thoughtSignature: part.signature ?? undefined })]
    case 'refusal':
      return [{ text: part.text }]
    default:
      return []
  }
}

function writeMedia({ data, url, id, mediaType }: MediaSource): Members {
  if (data !== null) return { inlineData: { data, mimeType: mediaType } }
  return { fileData: defined({ fileUri: url ?? id, mimeType: mediaType ?? undefined }) }
}

/** An object is the response itself; anything else is in a member, as the documentation has it. */
function writeResult(request: Request, part: ResultPart): Members {
  const text = resultText(part)
  const value = parseJson(text)
  const media = part.parts.filter(({ type }) => type === 'image' || type === 'file')
  const response = part.error ? { error: text } : isRecord(value) ? value : { output: text }
  return defined({
    id: part.id ?? undefined,
    name: part.name ?? calledName(request, part.id) ?? '',
    response,
    parts: media.length === 0 ? undefined : media.flatMap(inner => writePart(request, inner)),
  })
}

function writeTools(tools: readonly Tool[]): Members[] {
  const functions = tools.filter(({ vendor }) => vendor === undefined)
  return [
    ...(functions.length === 0 ? [] : [{ functionDeclarations: functions.map(writeTool) }]),
    ...tools.flatMap(({ vendor }) => (vendor === undefined ? [] : [{ [vendor]: {} }])),
  ]
}

function writeTool({ name, description, schema, schemaMember = 'parameters' }: Tool): Members {
  return defined({ description: description ?? undefined, name, [schemaMember]: schema ?? undefined })
}

const MODES = { auto: 'AUTO', required: 'ANY', none: 'NONE', tool: 'ANY' } as const

function writeChoice(choice: Choice): Members {
  return { mode: MODES[choice.type], ...(choice.type === 'tool' ? { allowedFunctionNames: [choice.name] } : {}) }
}
