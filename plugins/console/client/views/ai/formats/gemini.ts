/** Gemini generateContent. */
import type { ModelRequest, Piece, Turn, WireFormat } from '../types.ts'
import { argsOf, compact, headersOption, literal, resultOf, turnsOf } from './json.ts'

interface Part {
  text?: string
  thought?: boolean
  functionCall?: { id?: string; name?: string; args?: object }
}
interface Answer {
  candidates?: { content?: { parts?: Part[] }; finishReason?: string }[]
  promptFeedback?: { blockReason?: string }
  usageMetadata?: { promptTokenCount?: number; candidatesTokenCount?: number; thoughtsTokenCount?: number }
  error?: { message?: string }
}

function contentOf(turn: Turn): object {
  if (turn.role === 'user') return { role: 'user', parts: [{ text: turn.text }] }
  if (turn.role === 'tool')
    return {
      role: 'user',
      parts: turn.results.map(({ call, content }) => ({
        functionResponse: { name: call.name, response: resultOf(content) },
      })),
    }
  const { text, calls } = turn.run.reply
  return {
    role: 'model',
    parts: [
      ...(text === '' ? [] : [{ text }]),
      ...calls.map(call => ({ functionCall: { name: call.name, args: argsOf(call) } })),
    ],
  }
}

function bodyOf(modelRequest: ModelRequest): object {
  const { system, temperature, maxTokens, tools, format } = modelRequest
  const config = compact({
    temperature: temperature ?? undefined,
    maxOutputTokens: maxTokens ?? undefined,
    responseMimeType: format === 'text' ? undefined : 'application/json',
    responseJsonSchema: typeof format === 'object' ? format : undefined,
  })
  return compact({
    contents: turnsOf(modelRequest).map(contentOf),
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    tools:
      tools.length === 0
        ? undefined
        : [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                parametersJsonSchema: parameters,
              })),
            },
          ],
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
  })
}

function read(json: unknown): Piece {
  const { candidates, promptFeedback, usageMetadata: usage, error } = json as Answer
  const { content, finishReason } = candidates?.[0] ?? {}
  const parts = content?.parts ?? []
  const textOf = (isThought: boolean) =>
    parts
      .filter(({ thought }) => (thought ?? false) === isThought)
      .map(({ text }) => text ?? '')
      .join('')
  return {
    text: textOf(false),
    thinking: textOf(true),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id ?? '', name: call.name ?? '', args: JSON.stringify(call.args ?? {}) }],
    ),
    finish: finishReason ?? promptFeedback?.blockReason,
    usage: usage && {
      input: usage.promptTokenCount,
      output:
        usage.candidatesTokenCount === undefined
          ? undefined
          : usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0),
    },
    ...(error === undefined ? {} : { error: error.message ?? JSON.stringify(error) }),
  }
}

export const gemini: WireFormat = {
  request: modelRequest => ({
    path: `/v1beta/models/${encodeURIComponent(modelRequest.model)}:${modelRequest.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: bodyOf(modelRequest),
  }),
  credential: key => ({ name: 'x-goog-api-key', value: key }),
  read,
  readFrame: read,
  code({ baseUrl, key, headers, body, model, stream }) {
    const { contents, systemInstruction, tools, generationConfig } = body as {
      contents: object
      systemInstruction?: object
      tools?: object
      generationConfig?: object
    }
    const config = compact({ ...generationConfig, systemInstruction, tools })
    const call = literal(compact({ model, contents, config: Object.keys(config).length === 0 ? undefined : config }), 0)
    return `import { GoogleGenAI } from '@google/genai'

const ai = new GoogleGenAI({
  apiKey: ${JSON.stringify(key)},
  httpOptions: { baseUrl: ${JSON.stringify(baseUrl)},${headersOption('headers', headers)} },
})
${
  stream
    ? `const stream = await ai.models.generateContentStream(${call})
for await (const { text } of stream) process.stdout.write(text ?? '')`
    : `const { text, functionCalls } = await ai.models.generateContent(${call})
console.log(text, functionCalls)`
}
`
  },
}
