/** Chooses the media type of a response, and with it the example. */
import type { CompiledApi } from '../api/compiled-api.ts'
import type { MediaType } from '../document/operations.ts'
import { ownObject } from '../document/json.ts'
import { typesOf } from '../request/coerce.ts'
import { negotiate, type BodyKind, type Negotiated } from './negotiation.ts'
import { firstExample, hasExample, type Choice, type Pairing } from '../api/response-choice.ts'

/** The media type of a choice, and whether it is acceptable. */
export interface ChosenType {
  media: MediaType
  type: string
  fits: boolean
  /** The name of the example to use; null for the default order. */
  example: string | null
  /** The types that were offered. */
  offered: readonly string[]
}

const BODILESS = new Set([204, 205, 304])

/**
 * Chooses the media type by `Accept`. If the client has named an example, only the types that have it are offered; an example
 * that the request only happens to equal gives way to an acceptable type. Undefined if the response has no content.
 */
export function chooseType(choice: Choice, accept: string | undefined, api: CompiledApi): ChosenType | undefined {
  const { content } = choice.definition
  const { example } = choice
  if (BODILESS.has(choice.status)) return undefined
  const withExample = example === null ? [] : content.filter(({ raw }) => hasExample(raw, example))
  const named = withExample.length > 0 ? chooseOf(withExample, example, accept, api) : undefined
  if (named !== undefined && (named.fits || choice.isPaired !== true)) return named
  const other = chooseOf(content, named === undefined ? example : null, accept, api)
  return named === undefined || other?.fits === true ? other : named
}

function chooseOf(
  content: readonly MediaType[],
  example: string | null,
  accept: string | undefined,
  api: CompiledApi,
): ChosenType | undefined {
  const chosen = negotiateContent(content, accept, api)
  const media = chosen && content.find(({ type }) => type === chosen.declaredAs)
  return media && { media, type: chosen.type, fits: chosen.fits, example, offered: content.map(({ type }) => type) }
}

function negotiateContent(
  content: readonly MediaType[],
  accept: string | undefined,
  api: CompiledApi,
): Negotiated | undefined {
  return negotiate(
    // The kind only matters for ranges.
    content.map(media => ({ type: media.type, kind: media.type.includes('*') ? kindOf(media, api) : 'structured' })),
    accept,
  )
}

/** What the body of a media type is made of. */
function kindOf({ schema, raw }: MediaType, api: CompiledApi): BodyKind {
  const flat = api.sampler.flattener.flatten(schema)
  const types = typesOf(flat, api.sampler.flattener, 0)
  types.delete('null')
  if (types.size === 0) return typeof firstExample(api.document, raw)?.value === 'string' ? 'opaque' : 'structured'
  if (types.size > 1 || !types.has('string')) return 'structured'
  return flat.format === 'binary' ? 'binary' : 'text'
}

/**
 * The response for a request that equals the examples of several pairings: the first response in the document, with the
 * example of the type that the client prefers.
 */
export function choosePaired(
  pairings: readonly Pairing[],
  accept: string | undefined,
  api: CompiledApi,
): Choice | undefined {
  const first = pairings[0]?.choice
  const choices = pairings.map(({ choice }) => choice).filter(({ definition }) => definition === first?.definition)
  if (first === undefined || choices.length === 1) return first
  const offered = first.definition.content.filter(({ raw }) => choices.some(({ example }) => hasExample(raw, example)))
  const chosen = negotiateContent(offered, accept, api)
  const examples = ownObject(offered.find(({ type }) => type === chosen?.declaredAs)?.raw, 'examples')
  return choices.find(({ example }) => example !== null && Object.hasOwn(examples ?? {}, example)) ?? first
}
