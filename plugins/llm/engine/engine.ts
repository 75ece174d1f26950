/** What formats share, as one object: providers get it through the extension point, not by import. */
import { randomFillSync } from 'node:crypto'
import type { ChatResult, NeutralRequest, Part } from '../neutral.ts'
import { BadInput, type BadInputDetails } from '../errors.ts'
import { cosine, Embedder } from './embedding.ts'
import { embeddingInputs, vectorSize } from './embedding-input.ts'
import { generate, type GeneratedFault, type GenerateOptions } from './generate.ts'
import * as json from './json.ts'
import { describeInline, describeUrl } from './media.ts'
import { modeOfModel } from './model-mode.ts'
import { cutPage, pageStart } from './page.ts'
import { lastUserText, promptTokens, render, textOfParts } from './prompt.ts'
import { rankDocuments } from './relevance.ts'
import { fromSchema } from './schema-value.ts'
import { digest, generator } from './seed.ts'
import { count, pieces, words } from './tokens.ts'

/** Functions over text, tokens, schemas and vectors; all but `randomId` answer the same to the same. */
export interface Engine {
  generate(request: NeutralRequest, options: GenerateOptions): ChatResult | GeneratedFault
  /** The tokens of a text, and how many there are. */
  pieces(text: string): string[]
  count(text: string): number
  words(text: string): string[]
  /** The request as text, and its prompt tokens. */
  render(request: NeutralRequest): string
  promptTokens(request: NeutralRequest): number
  lastUserText(request: NeutralRequest): string
  /** The texts among the parts, joined with newlines. */
  textOfParts(parts: readonly Part[]): string
  /** A vector of length 1. */
  embed(text: string, dimensions: number): number[]
  cosine(a: readonly number[], b: readonly number[]): number
  /** Checks of embeddings requests; both throw what `badInput` makes. */
  vectorSize: typeof vectorSize
  embeddingInputs: typeof embeddingInputs
  /** Documents by how well they fit, best first. */
  relevance(query: string, documents: readonly string[]): { index: number; score: number }[]
  /** A value that is valid for a JSON Schema. */
  fromSchema(schema: unknown, userText: string): unknown
  modeOfModel: typeof modeOfModel
  /** Pages of a listing. */
  pageStart: typeof pageStart
  cutPage: typeof cutPage
  /** Media in a few words. */
  describeUrl: typeof describeUrl
  describeInline: typeof describeInline
  /** An id of random hex digits, at most 64. */
  randomId(digits: number): string
  /** SHA-256 over the parts as hex digits, and numbers in [0, 1) that it fixes. */
  digest(...parts: (string | number)[]): string
  generator(hex: string): () => number
  /** The error to throw for a request that is wrong: status 400, or the one given. */
  badInput(message: string, details?: BadInputDetails): Error
  /** Reading values of unknown shape. */
  readonly json: typeof json
}

const poolBytes = 4096

/** Makes ids of random hex digits out of bytes that are asked of the system by the thousand. */
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

export function createEngine(): Engine {
  return { ...pure, randomId: idMaker() }
}

const pure: Omit<Engine, 'randomId'> = {
  generate,
  pieces,
  count,
  words,
  render,
  lastUserText,
  textOfParts,
  cosine,
  fromSchema,
  modeOfModel,
  digest,
  generator,
  json,
  vectorSize,
  embeddingInputs,
  describeUrl,
  describeInline,
  pageStart,
  cutPage,
  promptTokens: request => promptTokens(request, render(request)),
  embed: (text, dimensions) => new Embedder(dimensions).embed(text),
  relevance: rankDocuments,
  badInput: (message, details) => new BadInput(message, details),
}
