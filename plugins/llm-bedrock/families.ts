/** The request and response formats of `InvokeModel`, one per model family. */
import type {
  ChatParsed,
  ChatResult,
  Choice,
  EmbedParsed,
  EmbedResult,
  Engine,
  Finish,
  LlmRoute,
  NeutralRequest,
  OwnParsed,
  OwnResult,
  RenderContext,
  RerankParsed,
  RerankResult,
  RouteInput,
  StreamShapes,
} from '../llm/types.ts'
import { converseEvents, outputOf, usageOf } from './converse.ts'
import { readConverse } from './converse-request.ts'
import type { Chunk } from './invoke-frame.ts'
import { converseShapes } from './stream-shapes.ts'

type Body = Record<string, unknown>
export type FamilyParsed = ChatParsed | EmbedParsed | RerankParsed | OwnParsed
export type FamilyResult = ChatResult | EmbedResult | RerankResult | OwnResult

export interface Family {
  /** Whether the body has the format of this family; `id` has no region or ARN. */
  matches(body: Body, id: string): boolean
  parse(input: RouteInput, body: Body, modelId: string): FamilyParsed | Promise<FamilyParsed>
  reply(result: FamilyResult, parsed: FamilyParsed, context: RenderContext): object | string
  /** Default: one chunk with the complete reply. */
  chunks?(result: FamilyResult, parsed: FamilyParsed, context: RenderContext): Iterable<Chunk>
  /** Stream shapes of its chunks and replies. Default: what is common to all formats. */
  shapes?: StreamShapes
  /** Its chunks have one member each, with the name of the event. */
  isNamed?: true
}

/** Routes of other formats; undefined if their plugin is not running. */
export interface SharedFormats {
  anthropic: LlmRoute | undefined
  openai: LlmRoute | undefined
  /** Image generation of OpenAI. */
  images?: LlmRoute | undefined
  cohere?: { chatV1: LlmRoute; rerank: LlmRoute } | undefined
}

/** The first family that matches is used. */
export function createFamilies(engine: Engine, formats: SharedFormats): Family[] {
  return [
    ...shared(
      engine,
      formats.anthropic,
      (body, id) =>
        body.anthropic_version !== undefined || (body.messages !== undefined && id.startsWith('anthropic.')),
      true,
    ),
    nova(engine),
    ...shared(engine, formats.openai, body => body.messages !== undefined, false),
    ...commandR(engine, formats.cohere?.chatV1),
    ...cohereRerank(formats.cohere?.rerank),
    ...titanImage(engine, formats.images),
    titanEmbed(engine),
    titanText(engine),
    mistral(engine),
    llama(engine),
    cohereEmbed(engine),
  ]
}

/** A family with the format of another plugin's route. */
function shared(
  engine: Engine,
  route: LlmRoute | undefined,
  matches: Family['matches'],
  isStreamed: boolean,
): Family[] {
  if (route === undefined) return []
  const family: Family = {
    matches,
    parse: (input, body, modelId) => parseWith(route, input, { ...body, model: modelId }),
    ...shapesOf(engine, route),
    reply: (result, parsed, context) =>
      route.render(result, parsed, { ...context, finishReasons: route.finishReasons ?? openAiFinishReasons }).body as
        | object
        | string,
  }
  if (isStreamed) family.chunks = (result, parsed, context) => route.stream?.(result, parsed, context) ?? []
  return [family]
}

/** Chats without shapes of their own have those of OpenAI's. */
function shapesOf(engine: Engine, { op, shapes }: LlmRoute): Pick<Family, 'shapes'> {
  if (shapes !== undefined) return { shapes }
  return op === 'chat' ? { shapes: engine.openAiShapes } : {}
}

/** Parses a body with another plugin's route. */
function parseWith(route: LlmRoute, input: RouteInput, body: Body): FamilyParsed | Promise<FamilyParsed> {
  return route.parse(Object.assign(Object.create(input) as RouteInput, { json: () => body })) as
    | FamilyParsed
    | Promise<FamilyParsed>
}

/** Command R and R+ use the format of Cohere's v1 chat. */
function commandR(engine: Engine, route: LlmRoute | undefined): Family[] {
  return shared(engine, route, body => typeof body.message === 'string', true)
}

/** Bedrock returns only the results of Cohere's reply. */
function cohereRerank(route: LlmRoute | undefined): Family[] {
  if (route === undefined) return []
  return [
    {
      matches: body => typeof body.query === 'string' && Array.isArray(body.documents),
      parse: (input, body, modelId) => parseWith(route, input, { ...body, model: modelId }),
      reply: (result, parsed, context) => ({
        results: (route.render(result, parsed, context).body as { results: object[] }).results,
      }),
    },
  ]
}

/** The member with the parameters of each task of Titan's image generator. */
const imageTasks: Readonly<Record<string, string>> = {
  TEXT_IMAGE: 'textToImageParams',
  COLOR_GUIDED_GENERATION: 'colorGuidedGenerationParams',
  IMAGE_VARIATION: 'imageVariationParams',
  INPAINTING: 'inPaintingParams',
  OUTPAINTING: 'outPaintingParams',
  BACKGROUND_REMOVAL: 'backgroundRemovalParams',
}
const tasksWithText = new Set(['TEXT_IMAGE', 'COLOR_GUIDED_GENERATION'])
const maxImageCharacters = 512

function titanImage(engine: Engine, route: LlmRoute | undefined): Family[] {
  const { json } = engine
  if (route === undefined) return []
  return [
    {
      matches: body => typeof body.taskType === 'string',
      parse(input, body, modelId) {
        const task = String(body.taskType)
        const member = Object.hasOwn(imageTasks, task) ? imageTasks[task]! : undefined
        if (member === undefined)
          throw engine.badInput(
            `Malformed input request: #/taskType: ${JSON.stringify(task.slice(0, 50))} is not one of ${Object.keys(imageTasks).join(', ')}.`,
          )
        const params = json.own(body, member)
        if (params === undefined)
          throw engine.badInput(`Malformed input request: #: required key [${member}] not found.`)
        const text = json.textOf(json.own(params, 'text'))
        if (text === undefined && tasksWithText.has(task))
          throw engine.badInput(`Malformed input request: #/${member}: required key [text] not found.`)
        if (text !== undefined && text.length > maxImageCharacters)
          throw engine.badInput(
            `Malformed input request: #/${member}/text: expected maxLength: ${maxImageCharacters}, actual: ${text.length}.`,
          )
        return parseWith(route, input, {
          model: modelId,
          prompt: text ?? task,
          n: json.own(body.imageGenerationConfig, 'numberOfImages'),
          response_format: 'b64_json',
        })
      },
      reply(result, parsed, context) {
        const { data } = route.render(result, parsed, context).body as { data: { b64_json: string }[] }
        return { images: data.map(image => image.b64_json), error: null }
      },
    },
  ]
}

/** Finish reasons of the chat completions format. */
const openAiFinishReasons: Record<Finish, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  prompt_filter: 'content_filter',
}

function firstOf(result: FamilyResult): Choice {
  return (result as ChatResult).choices[0] as Choice
}

/** Nova names the tokens of the prompt cache otherwise than Converse. */
function novaUsage(result: ChatResult): object {
  const { cachedTokens = 0, cacheWriteTokens = 0 } = result
  return { ...usageOf(result), cacheReadInputTokenCount: cachedTokens, cacheWriteInputTokenCount: cacheWriteTokens }
}

function nova(engine: Engine): Family {
  return {
    matches: (body, id) => body.messages !== undefined && id.startsWith('amazon.nova'),
    parse: (_input, body, modelId) => ({
      op: 'chat',
      model: modelId,
      request: readConverse(engine, body, modelId),
      wire: undefined,
    }),
    shapes: converseShapes,
    isNamed: true,
    reply: result => ({ ...outputOf(engine, result as ChatResult), usage: novaUsage(result as ChatResult) }),
    *chunks(result) {
      for (const { event, data, paced } of converseEvents(engine, result as ChatResult))
        yield {
          data: { [event]: event === 'metadata' ? { ...data, usage: novaUsage(result as ChatResult) } : data },
          ...(paced === undefined ? {} : { paced }),
        }
    },
  }
}

/** A family with one text as prompt and one text as reply. */
interface TextFamily {
  matches: Family['matches']
  prompt: string
  /** Reads the token limit and the stop sequences. */
  limits(body: Body): { maxTokens: unknown; stop: unknown }
  finishReasons: Record<Finish, string>
  reply(result: ChatResult, text: string, reason: string): object
  /** `soFar` is the number of sent pieces, including this one; `reason` is set for the last piece. */
  chunk(result: ChatResult, piece: string, soFar: number, reason: string | null): object
}

const maxStops = 4

function textFamily(engine: Engine, family: TextFamily): Family {
  const { json } = engine
  return {
    matches: family.matches,
    parse(_input, body, modelId) {
      const { maxTokens, stop } = family.limits(body)
      const limit = json.countOf(maxTokens)
      const request: NeutralRequest = {
        model: modelId,
        system: [],
        messages: [{ role: 'user', parts: [{ type: 'text', text: json.asText(body[family.prompt]) }] }],
        tools: [],
        toolChoice: 'none',
        format: { type: 'none' },
        stop: json.stopsOf(stop, maxStops),
        n: 1,
        ...(limit === undefined ? {} : { maxTokens: limit }),
      }
      return { op: 'chat', model: modelId, request, wire: undefined }
    },
    reply(result) {
      const choice = firstOf(result)
      return family.reply(result as ChatResult, choice.text, family.finishReasons[choice.finish])
    },
    *chunks(result) {
      const choice = firstOf(result)
      const pieces = choice.pieces.length === 0 ? [''] : choice.pieces
      let index = -1
      for (const piece of pieces) {
        index += 1
        const isLast = index === pieces.length - 1
        yield {
          data: family.chunk(
            result as ChatResult,
            piece,
            Math.min(index + 1, choice.pieces.length),
            isLast ? family.finishReasons[choice.finish] : null,
          ),
          paced: true,
        }
      }
    },
  }
}

const stopOrLength: Record<Finish, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'stop',
  content_filter: 'stop',
  prompt_filter: 'stop',
}

function titanText(engine: Engine): Family {
  const finishReasons: Record<Finish, string> = {
    stop: 'FINISH',
    stop_sequence: 'STOP_CRITERIA_MET',
    length: 'LENGTH',
    tool_calls: 'FINISH',
    content_filter: 'CONTENT_FILTERED',
    prompt_filter: 'CONTENT_FILTERED',
  }
  return textFamily(engine, {
    matches: body => typeof body.inputText === 'string',
    prompt: 'inputText',
    limits: body => ({
      maxTokens: engine.json.own(body.textGenerationConfig, 'maxTokenCount'),
      stop: engine.json.own(body.textGenerationConfig, 'stopSequences'),
    }),
    finishReasons,
    reply: (result, outputText, completionReason) => ({
      inputTextTokenCount: result.promptTokens,
      results: [{ tokenCount: result.completionTokens, outputText, completionReason }],
    }),
    chunk: (result, outputText, soFar, completionReason) => ({
      outputText,
      index: 0,
      totalOutputTextTokenCount: soFar,
      completionReason,
      inputTextTokenCount: result.promptTokens,
    }),
  })
}

function mistral(engine: Engine): Family {
  const outputs = (text: string, stop_reason: string | null): object => ({ outputs: [{ text, stop_reason }] })
  return textFamily(engine, {
    matches: (body, id) => typeof body.prompt === 'string' && id.startsWith('mistral.'),
    prompt: 'prompt',
    limits: body => ({ maxTokens: body.max_tokens, stop: body.stop }),
    finishReasons: stopOrLength,
    reply: (_result, text, reason) => outputs(text, reason),
    chunk: (_result, piece, _soFar, reason) => outputs(piece, reason),
  })
}

function llama(engine: Engine): Family {
  const reply = (result: ChatResult, generation: string, tokens: number, stop_reason: string | null): object => ({
    generation,
    prompt_token_count: result.promptTokens,
    generation_token_count: tokens,
    stop_reason,
  })
  return textFamily(engine, {
    matches: body => typeof body.prompt === 'string',
    prompt: 'prompt',
    limits: body => ({ maxTokens: body.max_gen_len, stop: undefined }),
    finishReasons: stopOrLength,
    reply: (result, text, reason) => reply(result, text, result.completionTokens, reason),
    chunk: (result, piece, soFar, reason) => reply(result, piece, soFar, reason),
  })
}

const embedDimensions = 1024

function titanEmbed(engine: Engine): Family {
  return {
    matches: (body, id) => typeof body.inputText === 'string' && id.includes('embed'),
    parse: (input, body, modelId) => ({
      op: 'embed',
      model: modelId,
      wire: undefined,
      inputs: engine.embeddingInputs(body.inputText, input.limits, { input: 'inputText', dimensions: 'dimensions' }),
      dimensions: engine.vectorSize(body.dimensions, embedDimensions, input.limits, {
        input: 'inputText',
        dimensions: 'dimensions',
      }),
    }),
    reply(result) {
      const { vectors, promptTokens } = result as EmbedResult
      return { embedding: vectors[0], inputTextTokenCount: promptTokens, embeddingsByType: { float: vectors[0] } }
    },
  }
}

function cohereEmbed(engine: Engine): Family {
  const names = { input: 'texts', dimensions: 'output_dimension' }
  return {
    matches: body => body.texts !== undefined,
    parse(input, body, modelId) {
      const texts = engine.json.listOf(body.texts).filter((text): text is string => typeof text === 'string')
      return {
        op: 'embed',
        model: modelId,
        inputs: engine.embeddingInputs(texts, input.limits, names),
        dimensions: engine.vectorSize(body.output_dimension, embedDimensions, input.limits, names),
        wire: undefined,
      }
    },
    reply: (result, parsed) => ({
      id: engine.randomId(32),
      texts: (parsed as EmbedParsed).inputs,
      embeddings: (result as EmbedResult).vectors,
      response_type: 'embeddings_floats',
    }),
  }
}
