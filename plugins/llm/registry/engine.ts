/** Functions shared by all formats. Providers get them through the extension point, not by import. */
import { randomFillSync } from 'node:crypto'
import { InputProblem, memoize } from 'svc/toolkit'
import type { ChatResult, NeutralRequest, Part, Pieces, Tokenizer, Tool, ToolName } from '../contract/neutral.ts'
import { BadInput, type BadInputDetails } from '../contract/errors.ts'
import type { RequestHeaders } from '../contract/provider.ts'
import type { StreamShapes } from '../contract/stream.ts'
import { changeCallBlocks } from '../shapes/call-blocks.ts'
import { openAiShapes } from '../shapes/openai-shapes.ts'
import * as audio from '../engine/audio.ts'
import { blocksOf } from '../engine/choice-blocks.ts'
import { cosine, Embedder } from '../engine/embedding.ts'
import { withoutDirectives } from '../directives/prompt-lines.ts'
import { embeddingInputs, vectorSize } from '../engine/embedding-input.ts'
import { generate, type GeneratedFault, type GenerateOptions } from '../engine/generate.ts'
import * as json from '../engine/json.ts'
import { describeInline, describeUrl } from '../engine/media.ts'
import { modeOfModel } from '../engine/model-mode.ts'
import { cutPage, pageStart } from '../engine/page.ts'
import { firstPieces, joined, piecesOf } from '../engine/pieces.ts'
import { lastUserText, promptTokens, render, textOfParts } from '../engine/prompt.ts'
import { findTool, flatName } from '../engine/tool-names.ts'
import { rankDocuments } from '../engine/relevance.ts'
import { readForm } from '../engine/form.ts'
import { fromSchema } from '../engine/schema-value.ts'
import { digest, generator } from '../engine/seed.ts'
import { followChain } from '../state/chain.ts'
import { historyTooLong, maxHistory, takeHistory } from '../state/history.ts'
import { linesOf } from '../state/lines.ts'
import { tooLargeMessage } from '../state/batch-results.ts'
import { openText, sealText } from '../state/signed.ts'
import { packChoice, unpackChoice, wholeChoice } from '../state/stored-choice.ts'
import { createSchedule, eventsAfter, timeline } from '../state/timeline.ts'
import { readThought, signThought } from '../engine/thought-signature.ts'
import { RULE } from '../engine/tokenizer.ts'
import { MEMOIZED_MODELS } from '../records/metrics.ts'
import { modelClasses, type ModelClassName } from '../validation/model-classes.ts'
import { walkSchema } from '../validation/schema-walk.ts'
import { turnsOf } from '../validation/turns.ts'
import * as speech from '../engine/speech-headers.ts'
import { count, pieces, words } from '../engine/tokens.ts'

/** Functions for text, tokens, schemas and vectors; all but `randomId` are deterministic. */
export interface Engine {
  generate(request: NeutralRequest, options: GenerateOptions): ChatResult | GeneratedFault
  /** The tokens of a text, and their number. */
  pieces(text: string): string[]
  /** The tokens of a text of any length: they are made as they are read, if there are many. */
  split(text: string): Pieces
  /** The text of the first tokens. */
  textOfFirst(pieces: Pieces, most: number): string
  count(text: string): number
  /** Splits and counts by the same rule. */
  readonly tokenizer: Tokenizer
  words(text: string): string[]
  /** The request as text, and its prompt tokens. */
  render(request: NeutralRequest): string
  promptTokens(request: NeutralRequest): number
  lastUserText(request: NeutralRequest): string
  /** The tool with this name, in the given namespace or in any, or with this flat name. */
  findTool(tools: readonly Tool[], wanted: ToolName): Tool | undefined
  /** The name of a tool for formats without namespaces: `<namespace>__<name>`. */
  flatToolName(tool: ToolName): string
  /**
   * A text of the user or of the system without directives, as the model sees it, or a request without those of its texts. What
   * `parse` returns loses them anyway: it is for what a format makes of texts before.
   */
  withoutDirectives: typeof withoutDirectives
  /** Whether prompts can have directives. */
  readsDirectives: boolean
  /** The text parts, joined with newlines. */
  textOfParts(parts: readonly Part[]): string
  /** A vector of length 1. */
  embed(text: string, dimensions: number): number[]
  cosine(a: readonly number[], b: readonly number[]): number
  /** Validation of embeddings requests; both throw `BadInput`. */
  vectorSize: typeof vectorSize
  embeddingInputs: typeof embeddingInputs
  /** Documents by relevance, best first. */
  relevance(query: string, documents: readonly string[]): { index: number; score: number }[]
  /** A value that is valid for a JSON Schema. */
  fromSchema(schema: unknown, userText: string): unknown
  modeOfModel: typeof modeOfModel
  /** Sound as bytes, and where speech begins and ends in it. */
  readonly audio: typeof audio
  /** The headers of a handshake about speech. */
  readonly speech: typeof speech
  /** Pagination. */
  pageStart: typeof pageStart
  cutPage: typeof cutPage
  /** Short descriptions of media. */
  describeUrl: typeof describeUrl
  describeInline: typeof describeInline
  /** Parses a multipart form; throws `badInput` for another body. */
  readForm(input: { body: Buffer; headers: RequestHeaders }): Promise<FormData>
  /** An id of random hex digits, at most 64. */
  randomId(digits: number): string
  /** SHA-256 of the parts as hex digits, and a generator of numbers in [0, 1) with it as seed. */
  digest(...parts: (string | number)[]): string
  generator(hex: string): () => number
  /** When the events of a reply are due, and where a planned failure ends it. */
  timeline: typeof timeline
  /** The same for events that are made as they are read. */
  schedule: typeof createSchedule
  eventsAfter: typeof eventsAfter
  /** Follows records back to the first. */
  followChain: typeof followChain
  /** The parts of a choice in the order in which they are sent. */
  blocksOf: typeof blocksOf
  /** A choice as records keep it: without tokens that follow from its text. */
  packChoice: typeof packChoice
  unpackChoice: typeof unpackChoice
  wholeChoice: typeof wholeChoice
  /** What a stored text costs that becomes a part of the prompt: taken before it is read. */
  takeHistory: typeof takeHistory
  historyTooLong: typeof historyTooLong
  /** The most characters of stored texts that one request can bring together. */
  maxHistory: typeof maxHistory
  /** The lines of a file that is read in parts. */
  linesOf: typeof linesOf
  /** Why an item of a batch has no result. */
  tooLargeMessage: typeof tooLargeMessage
  /** Seals a text with a secret of the plugin; `llm.signed` does it with values and lifetimes. */
  sealText: typeof sealText
  openText: typeof openText
  /** Stream shapes of OpenAI's chat chunks. */
  readonly openAiShapes: StreamShapes
  /** Changes calls in streams whose items are opened, filled by deltas, and closed, for `tools=<value>`. */
  changeCallBlocks: typeof changeCallBlocks
  /** The error to throw for an invalid request; default status 400. */
  badInput(message: string, details?: BadInputDetails): Error
  /** The error to throw for an exact reply that does not fit; `at` is the path of the wrong member. */
  badReply(at: string, message: string): Error
  /** What rules of vendors look at: schemas in tools, turns of a conversation, and models that take other parameters. */
  walkSchema: typeof walkSchema
  turns: typeof turnsOf
  /** Signatures of thinking, which find what was changed. */
  signThought: typeof signThought
  readThought: typeof readThought
  modelClasses(model: string | undefined): readonly ModelClassName[]
  /** Functions to read JSON values of unknown type. */
  readonly json: typeof json
}

const poolBytes = 4096

/** Generates ids of random hex digits from a pool, since requesting random bytes for each id is slow. */
function idMaker(): (digits: number) => string {
  const pool = Buffer.alloc(poolBytes)
  let at = poolBytes
  return digits => {
    const bytes = Math.ceil(digits / 2)
    if (at + bytes > poolBytes) {
      randomFillSync(pool)
      at = 0
    }
    const id = pool.toString('hex', at, at + bytes)
    at += bytes
    return id.length === digits ? id : id.slice(0, digits)
  }
}

const NO_CLASSES: readonly ModelClassName[] = []

/** `readsDirectives`: prompts can have directives. */
export function createEngine(readsDirectives = true): Engine {
  const classesOf = memoize(MEMOIZED_MODELS, modelClasses)
  return {
    ...pure,
    randomId: idMaker(),
    readsDirectives,
    withoutDirectives: readsDirectives ? withoutDirectives : value => value,
    modelClasses: model => (model === undefined ? NO_CLASSES : classesOf(model)),
  }
}

const pure: Omit<Engine, 'randomId' | 'modelClasses' | 'withoutDirectives' | 'readsDirectives'> = {
  generate,
  pieces,
  split: text => piecesOf(text),
  textOfFirst: (all, most) => joined(firstPieces(all, most)),
  count,
  tokenizer: RULE,
  words,
  render,
  lastUserText,
  findTool,
  flatToolName: flatName,
  textOfParts,
  cosine,
  fromSchema,
  modeOfModel,
  digest,
  generator,
  json,
  vectorSize,
  embeddingInputs,
  openAiShapes,
  changeCallBlocks,
  walkSchema,
  turns: turnsOf,
  signThought,
  readThought,
  timeline,
  schedule: createSchedule,
  eventsAfter,
  blocksOf,
  packChoice,
  unpackChoice,
  wholeChoice,
  takeHistory,
  historyTooLong,
  maxHistory,
  followChain,
  linesOf,
  tooLargeMessage,
  sealText,
  openText,
  describeUrl,
  describeInline,
  audio,
  speech,
  pageStart,
  cutPage,
  readForm,
  promptTokens: request => promptTokens(request, render(request)),
  embed: (text, dimensions) => new Embedder(dimensions).embed(text),
  relevance: rankDocuments,
  badInput: (message, details) => new BadInput(message, details),
  badReply: (at, message) => new InputProblem(at, message),
}
